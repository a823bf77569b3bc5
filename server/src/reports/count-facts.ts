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

/** For one transaction, which then takes a fraction of a second. Orders of a long history end as fast as they are counted. */
const LIMITS: CountLimits = { walletsMax: 20, entriesMax: 1_000, changesMax: 10_000 };

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
