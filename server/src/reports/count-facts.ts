import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import {
  type CountLimits,
  countChanges,
  countEntries,
  lockCounting,
  markComplete,
  readByKey,
} from "./count-queries.ts";

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

/**
 * Counts what happened since it last ran, in one transaction, exactly once: what is counted and the mark that it was counted are
 * committed together or not at all. One process counts at a time; the others leave it to that one. True when there is more.
 */
export function countFacts(
  { db, clock }: { db: Pick<Db, "transaction">; clock: Clock },
  limits: CountLimits = LIMITS,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const startedAt = clock.now();
    if (!(await lockCounting(tx))) return false;
    await readByKey(tx);
    const { wallets, behind } = await countEntries(tx, limits, startedAt);
    const changes = await countChanges(tx, limits);
    const isMore = behind > 0 || wallets === limits.walletsMax || changes === limits.changesMax;
    if (!isMore) await markComplete(tx, startedAt);
    return isMore;
  });
}
