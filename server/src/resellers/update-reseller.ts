import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { checkEmail, checkName, checkPriceList } from "./check-reseller.ts";
import { noReseller } from "./get-reseller.ts";
import {
  lockCatalogChanges,
  lockReseller,
  type ResellerChange,
  type ResellerRow,
  updateReseller,
} from "./queries.ts";

/** Changes the given fields. A new price list takes effect with the next request. */
export async function changeReseller(
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  change: ResellerChange,
  by: By,
): Promise<ResellerRow> {
  const checked = {
    name: change.name === undefined ? undefined : checkName(change.name),
    email: change.email === undefined ? undefined : checkEmail(change.email),
    priceList: change.priceList === undefined ? undefined : checkPriceList(change.priceList),
  };
  return db.transaction(async (tx) => {
    if (checked.priceList !== undefined) await lockCatalogChanges(tx);
    const before = await lockReseller(tx, id);
    const [after] = await updateReseller(tx, id, checked);
    if (!before || !after) throw noReseller(id);
    const names = (["name", "email", "priceList"] as const).filter((name) => before[name] !== after[name]);
    const pick = (row: ResellerRow) => Object.fromEntries(names.map((name) => [name, row[name]]));
    if (names.length > 0)
      await recordActivity(tx, clock, {
        ...by,
        action: "reseller.changed",
        object: { kind: "reseller", id },
        resellerId: id,
        before: pick(before),
        after: pick(after),
      });
    return after;
  });
}
