import type { Db, Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { idsOf } from "../lib/ids.ts";
import { PRICING_DEFAULTS } from "../lib/settings/pricing-config.ts";
import { isMailAddress, queueLetter } from "../mail/queue-letter.ts";
import { alertLetter } from "./alert-letter.ts";
import { ALERT_KINDS, type AlertKind, CONDITIONS } from "./conditions.ts";
import { decideAlerts } from "./decide-alerts.ts";
import type { AlertSettings } from "./price-conditions.ts";
import {
  deleteResolved,
  findEvaluatedAt,
  findSubjects,
  insertAlerts,
  listOpenOfKind,
  listReaders,
  markEvaluated,
  markResolved,
  type NewAlert,
  tryLockRound,
  updateFacts,
} from "./queries.ts";

export type EvaluateDeps = {
  db: Db;
  clock: Clock;
  consoleUrl: string;
  /** A round of another process that is younger than this counts. */
  freshForMs?: number;
  settings?: AlertSettings;
};

/** Open alerts of one kind. More of them tell a person nothing. */
export const OPEN_MAX = 1_000;
const READERS_MAX = 200;
const KEPT_MS = 90 * 86_400_000;
const PRUNED_MAX = 1_000;

/**
 * Evaluates every condition once, in one transaction: raises, resolves, and writes to those who want to know. Several processes
 * may call it at the same time; one of them does the round, and the others return false.
 */
export const evaluateAlerts = (deps: EvaluateDeps): Promise<boolean> =>
  deps.db.transaction(async (tx) => {
    if (!(await tryLockRound(tx))) return false;
    const now = deps.clock.now();
    if (isFresh(await findEvaluatedAt(tx), now, deps.freshForMs ?? 0)) return false;
    const raised: NewAlert[] = [];
    for (const kind of ALERT_KINDS) raised.push(...(await evaluateKind(tx, deps, kind, now)));
    if (raised.length > 0) await tellReaders(tx, raised, deps.consoleUrl, now);
    await deleteResolved(tx, new Date(now.getTime() - KEPT_MS), PRUNED_MAX);
    await markEvaluated(tx, now);
    return true;
  });

const isFresh = (at: Date | undefined, now: Date, freshForMs: number): boolean =>
  at !== undefined && Math.abs(now.getTime() - at.getTime()) < freshForMs;

async function evaluateKind(
  tx: Tx,
  { clock, settings = PRICING_DEFAULTS }: EvaluateDeps,
  kind: AlertKind,
  now: Date,
): Promise<NewAlert[]> {
  const found = await findSubjects(tx, CONDITIONS[kind].find(now, OPEN_MAX, settings));
  const open = await listOpenOfKind(tx, kind, OPEN_MAX);
  const { raise, refresh, resolve } = decideAlerts(found, open, OPEN_MAX);
  if (resolve.length > 0) await markResolved(tx, resolve, now);
  if (refresh.length > 0) await updateFacts(tx, refresh);
  if (raise.length === 0) return [];
  const ids = idsOf(clock);
  const alerts = raise.map((one) => ({ ...one, id: ids("alt"), kind }));
  const inserted = new Set(await insertAlerts(tx, alerts, now));
  return alerts.filter(({ id }) => inserted.has(id));
}

/** In the transaction of the raise: a letter for each raise, and none for a raise that was rolled back. */
async function tellReaders(
  tx: Tx,
  raised: readonly NewAlert[],
  consoleUrl: string,
  now: Date,
): Promise<void> {
  const titles = raised.map(({ kind, facts }) => CONDITIONS[kind as AlertKind].title(facts));
  const round = raised[0]?.id ?? "";
  for (const { email } of await listReaders(tx, READERS_MAX)) {
    if (isMailAddress(email)) await queueLetter(tx, alertLetter(email, { round, titles }, consoleUrl), now);
  }
}
