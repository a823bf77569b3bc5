import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { lockCatalog } from "./lock-catalog.ts";
import { type CatalogFileProduct, updateHidden } from "./product-queries.ts";

/** Hides a product from every reseller, or shows it again, from the next request on. */
export async function setHidden(
  db: Db,
  clock: Clock,
  id: string,
  hidden: boolean,
): Promise<CatalogFileProduct> {
  const [product] = await db.transaction(async (tx) => {
    await lockCatalog(tx);
    return updateHidden(tx, id, hidden, clock.now());
  });
  if (!product) throw new RangeError(`there is no product ${id}; see: scrip catalog export`);
  return product;
}
