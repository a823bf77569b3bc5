import type { Queryable } from "../db/database.ts";
import { findReseller, type ResellerRow } from "./queries.ts";

export async function getReseller(db: Queryable, id: string): Promise<ResellerRow> {
  const row = await findReseller(db, id);
  if (!row) throw noReseller(id);
  return row;
}

export const noReseller = (id: string): RangeError =>
  new RangeError(`there is no reseller ${id}; see: scrip reseller list`);
