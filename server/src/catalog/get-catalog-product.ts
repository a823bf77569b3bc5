import type { Queryable } from "../db/database.ts";
import { type CatalogFileProduct, findCatalogProduct } from "./product-queries.ts";

/** The operator's view of a product, including hidden and inactive ones. */
export async function getCatalogProduct(db: Queryable, id: string): Promise<CatalogFileProduct> {
  const row = await findCatalogProduct(db, id);
  if (!row) throw new RangeError(`there is no product ${id}; see: scrip catalog export`);
  return row;
}
