import sql, { join, raw, type Sql } from "sql-template-tag";
import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { getCatalogProduct } from "./get-catalog-product.ts";
import { lockCatalog } from "./lock-catalog.ts";
import type { Fault } from "./member-reader.ts";
import {
  DETAIL_NAMES,
  DETAILS,
  type DetailName,
  type ProductDetails,
  readDetails,
  sayName,
  toDetailTexts,
} from "./product-details.ts";
import type { CatalogFileProduct } from "./product-queries.ts";

/** What can be edited one product at a time. Everything else comes from a file. An empty detail is none. */
export type ProductEdit = Pick<
  CatalogFileProduct,
  "name" | "bonus" | "minQuantity" | "maxQuantity" | "active" | DetailName
>;

/** Someone changed the product since the page was read. */
export class ProductChanged extends RangeError {}

/** Changes a product, from the next request on. `seen` is what the person saw: nothing is written over another change. */
export const editProduct = (
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  edit: ProductEdit,
  seen: ProductEdit | undefined,
  by: By,
): Promise<void> =>
  db.transaction(async (tx) => {
    await lockCatalog(tx);
    const before = toEdit(await getCatalogProduct(tx, id));
    if (seen && !isSame(before, seen))
      throw new ProductChanged(
        "Someone changed this product meanwhile. Nothing was saved. Look at it and save again.",
      );
    if (edit.minQuantity > edit.maxQuantity)
      throw new RangeError("The lowest quantity must not be above the highest.");
    const details = checkDetails(edit);
    if (isSame(before, edit)) return;
    await tx.rows(sql`
      update products
      set name = ${edit.name}, bonus = ${edit.bonus}, min_quantity = ${edit.minQuantity},
          max_quantity = ${edit.maxQuantity}, active = ${edit.active}, ${assign(details)},
          updated_at = ${clock.now()}
      where id = ${id}`);
    await recordActivity(tx, clock, {
      ...by,
      action: "product.edited",
      object: { kind: "product", id },
      before,
      after: edit,
    });
  });

/** Every detail is there, empty where there is none, so that two edits can be compared. */
export const toEdit = (product: ProductEdit): ProductEdit => {
  const { name, bonus, minQuantity, maxQuantity, active } = product;
  return { name, bonus, minQuantity, maxQuantity, active, ...toDetailTexts(product) };
};

/** The same rules as in a catalog file. */
function checkDetails(edit: ProductEdit): ProductDetails {
  const reader = { path: "", members: toDetailTexts(edit), faults: [] as Fault[] };
  const details = readDetails(reader);
  const [fault] = reader.faults;
  if (fault) throw new RangeError(`The ${sayName(fault.path as DetailName)} ${fault.reason}.`);
  return details;
}

const assign = (details: ProductDetails): Sql =>
  join(DETAIL_NAMES.map((name) => sql`${raw(DETAILS[name].column)} = ${details[name] || null}`));

const isSame = (one: ProductEdit, other: ProductEdit): boolean =>
  JSON.stringify(toEdit(one)) === JSON.stringify(toEdit(other));
