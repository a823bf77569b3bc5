import type { Tx } from "../../db/database.ts";
import { firstIdAt } from "../../lib/ids.ts";
import type { KeyRow } from "../queries.ts";
import { countFromOrders, deleteCounts, updateLimits } from "./limit-queries.ts";
import { type LimitChanges, needsCount, readLimits } from "./read-limits.ts";

/**
 * Changes what a key may spend, under the locks of its wallet and of the key. From then on no placement is decided by the old limits.
 * A new limit of a day counts what the key has spent since 00:00 UTC.
 */
export async function changeLimits(tx: Tx, key: KeyRow, changes: LimitChanges, now: Date): Promise<void> {
  const limits = readLimits(key, changes, key.currency);
  if (!needsCount(limits)) {
    await updateLimits(tx, key.id, { ...limits, countedFrom: null });
    await deleteCounts(tx, key.id);
    return;
  }
  const countedFrom = key.countedFrom ?? dayOf(now);
  await updateLimits(tx, key.id, { ...limits, countedFrom });
  if (key.countedFrom !== null) return;
  await countFromOrders(tx, key, countedFrom, firstIdAt("ord", Date.parse(countedFrom)));
}

/** The UTC day, such as 2030-01-31. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, "2030-01-31".length);
