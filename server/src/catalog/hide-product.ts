import { type By, recordActivity } from "../activity/record-activity.ts";
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
  by?: By,
): Promise<CatalogFileProduct> {
  const [product] = await db.transaction(async (tx) => {
    await lockCatalog(tx);
    const changed = await updateHidden(tx, id, hidden, clock.now());
    const action = hidden ? "product.hidden" : "product.shown";
    if (by && changed.length > 0)
      await recordActivity(tx, clock, { ...by, action, object: { kind: "product", id } });
    return changed;
  });
  if (!product) throw new RangeError(`there is no product ${id}; see: scrip catalog export`);
  return product;
}
