import type { Db } from "../db/database.ts";
import { checkEmail, checkName, checkPriceList } from "./check-reseller.ts";
import { noReseller } from "./get-reseller.ts";
import { type ResellerChange, type ResellerRow, updateReseller } from "./queries.ts";

/** Changes the given fields. A new price list takes effect with the next request. */
export async function changeReseller(db: Db, id: string, change: ResellerChange): Promise<ResellerRow> {
  const [row] = await updateReseller(db, id, {
    name: change.name === undefined ? undefined : checkName(change.name),
    email: change.email === undefined ? undefined : checkEmail(change.email),
    priceList: change.priceList === undefined ? undefined : checkPriceList(change.priceList),
  });
  if (!row) throw noReseller(id);
  return row;
}
