import { lockCatalog } from "../catalog/lock-catalog.ts";
import type { Db } from "../db/database.ts";
import { countStaleSupply, deleteStaleSupply, upsertStaleSupply } from "./supply-queries.ts";

/** Each round after the first means that the truth moved while the one before was being written. */
const ROUNDS_MAX = 5;

/**
 * Brings product_supply in line with routes and stock, and returns how many products changed. Without ids it looks at
 * every product that has a route or a row. Whoever changes routes, stock or suppliers calls it after the commit.
 *
 * Mostly nothing differs, and then it only reads: the catalog's revision is raised by those changes alone that a
 * reseller can see. It looks again after each change of its own, because stock that was taken while it wrote has been
 * compared by its taker with a row that was not there yet.
 *
 * It locks no code, because a buyer would wait for one that is locked only to be counted. A code that is just being taken
 * therefore counts until its taker has committed and comes here, and is there still when the taker gives it back.
 */
export async function refreshSupply(
  db: Db,
  productIds?: readonly string[],
  now: Date = new Date(),
): Promise<number> {
  const scope = { productIds: productIds && [...new Set(productIds)], now };
  let changed = 0;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const { toSet, toDelete } = await countStaleSupply(db, scope);
    if (toSet + toDelete === 0) break;
    changed += await db.transaction(async (tx) => {
      await lockCatalog(tx);
      const stale = await countStaleSupply(tx, scope);
      // A statement raises the revision even when it touches no row, so none runs that has nothing to do.
      const set = stale.toSet > 0 ? await upsertStaleSupply(tx, scope) : [];
      const deleted = stale.toDelete > 0 ? await deleteStaleSupply(tx, scope) : [];
      return set.length + deleted.length;
    });
  }
  return changed;
}
