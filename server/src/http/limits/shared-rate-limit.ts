import { createBatcher } from "../../lib/batch.ts";
import {
  BURST_SECONDS,
  type LocalRateLimiter,
  type RateLimiter,
  type RateLimitResult,
  SLACK,
} from "../rate-limit.ts";
import { createUntoldCounts, type UntoldCounts } from "./untold-counts.ts";

/** What one process tells the others about a bucket, and what it wants from it. */
export type AllowanceAsk = {
  bucket: string;
  intervalMs: number;
  /** Taken here since the last time. */
  taken: number;
  /** How full the bucket is as far as this process knows. */
  levelMs: number;
  wanted: number;
};
export type AllowanceReply = { granted: number; levelMs: number };

export type SharedRateLimitOptions = {
  local: LocalRateLimiter;
  nowMs: () => number;
  /** How many processes share the limits, this one included. */
  processes: () => number;
  /** Settles buckets, in their order, with all other processes. */
  exchange: (asks: readonly AllowanceAsk[]) => Promise<readonly AllowanceReply[]>;
  /** The limits are those of this process alone for a moment. */
  onAlone: (error: unknown) => void;
};

/** A request waits no longer than this for the other processes. */
export const PATIENCE_MS = 1_000;
/** After the database was slow or failed, each process grants the limit by itself for this long. */
export const ALONE_FOR_MS = 5_000;
const BUCKETS_MAX = 1_000;

type Waiter = {
  count: number;
  /** Gets all it wants as long as the bucket is not overdrawn, and owes what was not granted. */
  mayOwe: boolean;
  resolve: (result: RateLimitResult) => void;
};
/** Has not been sent yet, so further requests can join. */
type Pending = { bucket: string; ratePerSecond: number; waiters: Waiter[] };

type Shared = SharedRateLimitOptions & {
  untold: UntoldCounts;
  pending: Map<string, Pending>;
  /** Sends what is pending, together with what else is. */
  settle: (one: Pending) => Promise<void>;
  aloneUntilMs: number;
};

/**
 * One limit for a key over all processes. Each process decides by what it knows, counts what it has not told, and asks when
 * that exceeds its share: then everything that waits for the bucket is settled in one statement, with other buckets. An
 * overdraft first takes what is left for all, so processes that overdraw together do not each get one. A refusal is always
 * right, because a process never believes that more was taken than was. Alone, it asks nobody.
 */
export function createSharedRateLimiter(options: SharedRateLimitOptions): RateLimiter {
  const { local, nowMs, processes } = options;
  const untold = createUntoldCounts(nowMs, processes);
  const settle = createBatcher<Pending, void>({
    maxSize: BUCKETS_MAX,
    // One at a time: an older answer must not replace a newer one.
    maxRunning: 1,
    run: async (members) => {
      await settleAll(shared, members);
      return members.map(() => undefined);
    },
  });
  const shared: Shared = {
    ...options,
    untold,
    pending: new Map(),
    settle,
    aloneUntilMs: Number.NEGATIVE_INFINITY,
  };
  const isAlone = (): boolean => processes() <= 1 || nowMs() < shared.aloneUntilMs;
  return {
    peek: local.peek,
    take(bucket, ratePerSecond) {
      if (isAlone() || local.peek(bucket, ratePerSecond).remaining === 0)
        return local.take(bucket, ratePerSecond);
      if (!untold.hasRoom(bucket, ratePerSecond, 1))
        return waitFor(shared, bucket, ratePerSecond, { count: 1, mayOwe: false });
      untold.add(bucket, ratePerSecond, 1);
      return local.take(bucket, ratePerSecond);
    },
    overdraw(bucket, ratePerSecond, count) {
      const isRefused = !local.overdraw(bucket, ratePerSecond, 0).allowed;
      if (isAlone() || isRefused || count === 0) return local.overdraw(bucket, ratePerSecond, count);
      if (!untold.hasRoom(bucket, ratePerSecond, count))
        return waitFor(shared, bucket, ratePerSecond, { count, mayOwe: true });
      untold.add(bucket, ratePerSecond, count);
      return local.overdraw(bucket, ratePerSecond, count);
    },
  };
}

const waitFor = (
  shared: Shared,
  bucket: string,
  ratePerSecond: number,
  want: Omit<Waiter, "resolve">,
): Promise<RateLimitResult> =>
  new Promise((resolve) => ask(shared, bucket, ratePerSecond).waiters.push({ ...want, resolve }));

function ask(shared: Shared, bucket: string, ratePerSecond: number): Pending {
  const { local, nowMs, pending, settle } = shared;
  const present = pending.get(bucket);
  if (present) return present;
  const fresh: Pending = { bucket, ratePerSecond, waiters: [] };
  pending.set(bucket, fresh);
  /** What is taken until then is told by the level of the bucket. */
  const beAlone = (error: unknown): void => {
    if (nowMs() >= shared.aloneUntilMs) shared.onAlone(error);
    shared.aloneUntilMs = nowMs() + ALONE_FOR_MS;
    for (const { count, mayOwe, resolve } of fresh.waiters)
      resolve(mayOwe ? local.overdraw(bucket, ratePerSecond, count) : local.take(bucket, ratePerSecond));
    fresh.waiters = [];
    if (pending.get(bucket) === fresh) pending.delete(bucket);
  };
  const overdue = setTimeout(() => beAlone(new Error("no answer in time")), PATIENCE_MS);
  settle(fresh)
    .catch(beAlone)
    .finally(() => clearTimeout(overdue));
  return fresh;
}

const wantedBy = (waiters: readonly Waiter[]): number => waiters.reduce((sum, { count }) => sum + count, 0);

async function settleAll(shared: Shared, members: readonly Pending[]): Promise<void> {
  const { local, nowMs, pending, untold } = shared;
  const ordered = members.toSorted((a, b) => (a.bucket < b.bucket ? -1 : 1));
  const asks = ordered.map((one): AllowanceAsk => {
    const { bucket, ratePerSecond, waiters } = one;
    if (pending.get(bucket) === one) pending.delete(bucket);
    const taken = untold.clear(bucket, ratePerSecond);
    const intervalMs = 1_000 / ratePerSecond;
    return { bucket, intervalMs, taken, levelMs: local.levelMs(bucket), wanted: wantedBy(waiters) };
  });
  const sentAtMs = nowMs();
  const replies = await shared.exchange(asks);
  const elapsedMs = nowMs() - sentAtMs;
  for (const [index, one] of ordered.entries())
    apply(shared, one, asks[index] as AllowanceAsk, replies[index] as AllowanceReply, elapsedMs);
}

function apply(
  shared: Shared,
  { bucket, ratePerSecond, waiters }: Pending,
  { intervalMs }: AllowanceAsk,
  { granted, levelMs }: AllowanceReply,
  elapsedMs: number,
): void {
  const { local, untold } = shared;
  const { served, owed } = serve(waiters, { granted, levelMs, intervalMs });
  if (owed > 0) {
    untold.add(bucket, ratePerSecond, owed);
    ask(shared, bucket, ratePerSecond);
  }
  const takenSinceMs = untold.of(bucket, ratePerSecond) * intervalMs;
  // When the answer was made is not known exactly. It was not before it was asked for.
  local.setLevelMs(bucket, Math.max(0, levelMs - elapsedMs) + takenSinceMs);
  const state = local.peek(bucket, ratePerSecond);
  for (const [index, { resolve }] of waiters.entries()) {
    const waitMs = served[index] ?? 0;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
    if (waitMs <= 0) resolve({ ...state, allowed: true, retryAfterSeconds: 0 });
    else resolve({ ...state, allowed: false, remaining: 0, retryAfterSeconds });
  }
}

/**
 * Gives what was granted to the waiters in their order. `served`: how long each of them has to wait, 0 if it need not. As soon as one
 * owes, the bucket is overdrawn for those behind it.
 */
function serve(
  waiters: readonly Waiter[],
  { granted, levelMs, intervalMs }: AllowanceReply & Pick<AllowanceAsk, "intervalMs">,
): { served: number[]; owed: number } {
  const burstMs = BURST_SECONDS * 1_000;
  let left = granted;
  let owed = 0;
  const served = waiters.map(({ count, mayOwe }) => {
    const got = Math.min(count, left);
    const levelNowMs = levelMs + owed * intervalMs;
    const isOverdrawn = levelNowMs > burstMs + intervalMs * SLACK;
    if (got < count && !(mayOwe && (got > 0 || !isOverdrawn)))
      return Math.max(1, levelNowMs + (mayOwe ? 0 : intervalMs) - burstMs);
    left -= got;
    owed += count - got;
    return 0;
  });
  return { served, owed };
}
