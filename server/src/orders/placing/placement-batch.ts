import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "../../db/database.ts";
import { errorCodeOf, isDatabaseUnavailable } from "../../db/database-errors.ts";
import { createBatcher } from "../../lib/batch.ts";
import type { Clock } from "../../lib/clock.ts";
import { Problem } from "../../lib/problem.ts";
import { type Decision, type Placement, walletKey } from "./decide-placements.ts";
import { createKnownWallets } from "./known-wallets.ts";
import { type PlaceDeps, placeOnce } from "./place-once.ts";
import { findFreeWallets } from "./placement-queries.ts";

/** `busy`: another process locked the wallet for too long, or decides the placement itself. */
export type BatchDecision = Decision | { kind: "failed"; error: unknown };

export type SubmitPlacement = (placement: Placement) => Promise<BatchDecision>;
/** Placements of one wallet, decided in this order in one transaction. */
export type SubmitGroup = (placements: readonly Placement[]) => Promise<readonly BatchDecision[]>;
export type PlacementQueues = { submit: SubmitPlacement; submitGroup: SubmitGroup };

export type PlacementLimits = {
  batchMax: number;
  waitingMax: number;
  lockTimeoutMs: number;
  recoveryTimeoutMs: number;
};

const PLACEMENT_LIMITS: PlacementLimits = {
  batchMax: 128,
  waitingMax: 4_096,
  lockTimeoutMs: 500,
  recoveryTimeoutMs: 10_000,
};
const RECOVERY_PAUSE_MS = 100;
/** Groups that wait. Each has at most `batchMax` placements. */
const GROUPS_WAITING_MAX = 64;
/** Groups of different callers do not wait for each other. Those of one caller come one after the other by themselves. */
const GROUPS_RUNNING_MAX = 4;
/** A batch starts when the one before is written, so that it can be predicted. It does not wait longer for wallets of others. */
const PATIENCE_MS = 100;

type BatchDeps = PlaceDeps & {
  limits: PlacementLimits;
  /** Wallets that were seen locked for long, the one that was waited for longest ago first. */
  held: Set<string>;
};

/**
 * Group commit: orders that arrive while a batch is being committed form the next one, so a busy wallet pays for one
 * commit instead of one per order. There is no timer, the queue is bounded, and one order's refusal or bad value
 * never affects another. Orders of a locked wallet wait in a separate queue and block no one else.
 */
export function createPlacementQueues(
  db: Db,
  clock: Clock,
  changes: Partial<PlacementLimits> = {},
): PlacementQueues {
  const limits = { ...PLACEMENT_LIMITS, ...changes };
  const { lockTimeoutMs } = limits;
  const deps: BatchDeps = { db, clock, lockTimeoutMs, known: createKnownWallets(), limits, held: new Set() };
  const isHeld = (placement: Placement) => deps.held.size > 0 && deps.held.has(walletKey(placement));
  const common = createQueue(limits, (placements, letNext) =>
    placeBatch(
      deps,
      placements.filter((one) => !isHeld(one)),
      letNext,
    ),
  );
  const aside = createQueue(limits, (placements, letNext) => placeHeld(deps, placements, letNext));
  const groups = createGroupQueue(deps);
  const groupsAside = createGroupQueue(deps);
  return {
    submit: (placement) => (isHeld(placement) ? aside : common)(placement),
    submitGroup: (placements) => (placements.some(isHeld) ? groupsAside : groups)(placements),
  };
}

/** The queue of single orders alone. */
export const createPlacementBatch = (...args: Parameters<typeof createPlacementQueues>): SubmitPlacement =>
  createPlacementQueues(...args).submit;

/** A placement that is left undecided is busy and will be retried. */
type Decided = ReadonlyMap<Placement, BatchDecision>;

const createQueue = (
  limits: PlacementLimits,
  place: (placements: readonly Placement[], letNext: () => void) => Promise<Decided>,
): SubmitPlacement =>
  createBatcher<Placement, BatchDecision>({
    maxSize: limits.batchMax,
    maxRunning: 2,
    maxWaiting: limits.waitingMax,
    patienceMs: PATIENCE_MS,
    overflow: tooManyOrders,
    run: async (placements, letNext) => {
      const decided = await place(placements, letNext);
      return placements.map((placement) => decided.get(placement) ?? { kind: "busy" });
    },
  });

/** Each group is a transaction of its own, so that it is never split and its order is kept. */
const createGroupQueue = (deps: BatchDeps): SubmitGroup =>
  createBatcher<readonly Placement[], readonly BatchDecision[]>({
    maxSize: 1,
    maxRunning: GROUPS_RUNNING_MAX,
    maxWaiting: GROUPS_WAITING_MAX,
    overflow: tooManyOrders,
    run: async (groups) => {
      const placements = groups.flat();
      const decided = await placeBatch(deps, placements);
      return [placements.map((placement) => decided.get(placement) ?? { kind: "busy" })];
    },
  });

const tooManyOrders = (): Problem =>
  new Problem("service_unavailable", "Too many orders are waiting to be placed.", {
    headers: { "retry-after": "1" },
  });

/** Settles the placements whose wallets are free now, and waits for one locked wallet at a time, in turn. */
async function placeHeld(
  deps: BatchDeps,
  placements: readonly Placement[],
  letNext: () => void,
): Promise<Decided> {
  const free = await findFreeWallets(deps.db, placements);
  const asked = new Set(placements.map(walletKey));
  const next = [...deps.held].find((key) => asked.has(key) && !free.has(key));
  if (next !== undefined) {
    deps.held.delete(next);
    deps.held.add(next);
  }
  const chosen = placements.filter((one) => free.has(walletKey(one)) || walletKey(one) === next);
  return placeBatch(deps, chosen, letNext);
}

async function placeBatch(
  deps: BatchDeps,
  placements: readonly Placement[],
  letNext: () => void = () => {},
): Promise<Decided> {
  if (placements.length === 0) return new Map();
  try {
    return await placeUntilKnown(deps, placements, letNext);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    if (!isLockTimeout(error)) return placeApart(deps, placements);
  }
  const free = await findFreeWallets(deps.db, placements);
  for (const key of placements.map(walletKey)) if (!free.has(key)) deps.held.add(key);
  return placeApart(
    deps,
    placements.filter((one) => free.has(walletKey(one))),
  );
}

/**
 * A COMMIT whose response was lost may have succeeded. The same batch is written again, with the same order ids,
 * until the outcome is known: what was committed is then bound to its key.
 */
async function placeUntilKnown(
  deps: BatchDeps,
  placements: readonly Placement[],
  letNext: () => void = () => {},
): Promise<Decided> {
  // Counts from the first loss: even a response that took long to fail must be retried.
  let deadlineMs: number | undefined;
  for (;;) {
    try {
      const decisions = await placeOnce(deps, placements, letNext);
      if (deps.held.size > 0) for (const one of placements) deps.held.delete(walletKey(one));
      return new Map(placements.map((placement, index) => [placement, decisions[index] as Decision]));
    } catch (error) {
      deadlineMs ??= performance.now() + deps.limits.recoveryTimeoutMs;
      if (!isAnswer(error)) for (const one of placements) one.isInDoubt = true;
      if (!isDatabaseUnavailable(error) || performance.now() > deadlineMs) throw error;
      await delay(RECOVERY_PAUSE_MS);
    }
  }
}

/** One wallet or order blocked the whole batch: places each wallet, and if necessary each order, separately. */
async function placeApart(deps: BatchDeps, placements: readonly Placement[]): Promise<Decided> {
  const decided = new Map<Placement, BatchDecision>();
  try {
    for (const [key, group] of Map.groupBy(placements, walletKey)) {
      await placeGroup(deps, key, group, decided);
    }
  } catch (error) {
    // The database is down, and must not be waited for once per wallet.
    for (const one of placements) if (!decided.has(one)) decided.set(one, { kind: "failed", error });
  }
  return decided;
}

async function placeGroup(
  deps: BatchDeps,
  key: string,
  group: readonly Placement[],
  decided: Map<Placement, BatchDecision>,
): Promise<void> {
  try {
    for (const [placement, decision] of await placeUntilKnown(deps, group)) decided.set(placement, decision);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    if (isLockTimeout(error)) deps.held.add(key);
    else if (group.length > 1) for (const one of group) await placeGroup(deps, key, [one], decided);
    else for (const one of group) decided.set(one, { kind: "failed", error });
  }
}

/** An error of PostgreSQL, which is over with the transaction. After any other the transaction can still come. */
const isAnswer = (error: unknown): boolean =>
  SQLSTATE.test(errorCodeOf(error)) && !isDatabaseUnavailable(error);
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** lock_not_available */
const isLockTimeout = (error: unknown): boolean => errorCodeOf(error) === "55P03";
