import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { PRICING_DEFAULTS } from "../lib/settings/pricing-config.ts";
import {
  type CountLimits,
  countChanges,
  countEntries,
  listDueEntries,
  listReturnedAbroad,
  lockCounting,
  markComplete,
  readByKey,
  takeChanges,
} from "./count-queries.ts";
import { keepRates } from "./keep-rates.ts";

/**
 * For one transaction, which then takes a second at most. All wallets that sell at the same time fit into one: a look at few of them
 * costs nearly as much, and would be followed by the next at once for as long as they sell.
 */
const LIMITS: CountLimits = {
  walletsMax: 1_000,
  entriesMax: 1_000,
  allEntriesMax: 10_000,
  changesMax: 10_000,
};

export type CountDeps = {
  db: Pick<Db, "transaction">;
  clock: Clock;
  /** FX_MAX_AGE: a cost in another currency is converted with no rate that was older. */
  rateMaxAgeMs?: number;
};

/**
 * Counts what happened since it last ran, in one transaction, exactly once: what is counted and the mark that it was counted are
 * committed together or not at all. One process counts at a time; the others leave it to that one. True when there is more.
 */
export function countFacts(
  { db, clock, rateMaxAgeMs = PRICING_DEFAULTS.pricing.rateMaxAgeMs }: CountDeps,
  limits: CountLimits = LIMITS,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const startedAt = clock.now();
    if (!(await lockCounting(tx))) return false;
    await readByKey(tx);
    const wallets = await listDueEntries(tx, limits);
    const due = wallets.filter(({ isDue }) => isDue);
    if (due.length > 0) {
      await keepRates(tx, await listReturnedAbroad(tx, due), rateMaxAgeMs);
      await countEntries(tx, due, startedAt);
    }
    const changes = await takeChanges(tx, limits);
    if (changes.length > 0) {
      await keepRates(tx, [...new Set(changes.map(({ orderId }) => orderId))], rateMaxAgeMs);
      await countChanges(tx, changes);
    }
    const isBehind = wallets.some((one) => !one.isDue || one.toSequence < one.headSequence);
    const isMore = isBehind || wallets.length === limits.walletsMax || changes.length === limits.changesMax;
    if (!isMore) await markComplete(tx, startedAt);
    return isMore;
  });
}
