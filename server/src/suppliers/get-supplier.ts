import type { Queryable } from "../db/database.ts";
import { findProductCurrency, findSupplier, type SupplierRow } from "./queries.ts";

export async function getSupplier(db: Queryable, id: string): Promise<SupplierRow> {
  const row = await findSupplier(db, id);
  if (!row) throw noSupplier(id);
  return row;
}

export const noSupplier = (id: string): RangeError =>
  new RangeError(`there is no supplier ${id}; see: scrip supplier list`);

/** The default currency of the costs of a product. */
export async function getProductCurrency(db: Queryable, productId: string): Promise<string> {
  const currency = await findProductCurrency(db, productId);
  if (currency === undefined)
    throw new RangeError(`there is no product ${productId}; see: scrip catalog export`);
  return currency;
}
