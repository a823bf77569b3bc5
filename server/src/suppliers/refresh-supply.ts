import { lockCatalog } from "../catalog/lock-catalog.ts";
import type { Db } from "../db/database.ts";
import { countStaleSupply, deleteStaleSupply, markStaleRoutes, upsertStaleSupply } from "./supply-queries.ts";

/** Each extra round means that stock or routes changed while the previous round was written. */
const ROUNDS_MAX = 5;

/**
 * Brings product_supply in line with routes and stock, and returns how many products changed. Without ids it looks at
 * every product that has a route or a row. Call it after the commit of any change to routes, stock or suppliers.
 *
 * It also marks the routes whose stock ran out or came back. A trigger notes their products in that transaction, so that prices
 * follow the route that is used now. Prices are worked out by these marks alone, and so miss no change of them.
 *
 * Usually nothing differs, and then it only reads: only changes that a reseller can see raise the catalog's revision. It
 * checks again after each change, because a worker that took stock in the meantime compared it with the old row.
 *
 * It locks no codes, because buyers would wait for codes that are locked only to be counted. A code that is being taken
 * therefore counts until the worker commits and calls this, and still counts if the worker returns it.
 */
export async function refreshSupply(
  db: Db,
  productIds?: readonly string[],
  now: Date = new Date(),
): Promise<number> {
  const scope = { productIds: productIds && [...new Set(productIds)], now };
  let changed = 0;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const { toSet, toDelete, toMark } = await countStaleSupply(db, scope);
    if (toSet + toDelete + toMark === 0) break;
    const { products, routes } = await db.transaction(async (tx) => {
      await lockCatalog(tx);
      const stale = await countStaleSupply(tx, scope);
      // A statement raises the revision even when it changes no row, so it runs only when there is something to change.
      const set = stale.toSet > 0 ? await upsertStaleSupply(tx, scope) : [];
      const deleted = stale.toDelete > 0 ? await deleteStaleSupply(tx, scope) : [];
      const marked = stale.toMark > 0 ? await markStaleRoutes(tx, scope) : [];
      return { products: set.length + deleted.length, routes: marked.length };
    });
    changed += products;
    // All that is left is being changed by others.
    if (products + routes === 0) break;
  }
  return changed;
}
