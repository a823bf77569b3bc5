import sql from "sql-template-tag";
import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { getCatalogProduct } from "./get-catalog-product.ts";
import { lockCatalog } from "./lock-catalog.ts";
import type { CatalogFileProduct } from "./product-queries.ts";

/** What can be edited one product at a time. Everything else comes from a file. */
export type ProductEdit = Pick<
  CatalogFileProduct,
  "name" | "bonus" | "minQuantity" | "maxQuantity" | "active"
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
    if (isSame(before, edit)) return;
    await tx.rows(sql`
      update products
      set name = ${edit.name}, bonus = ${edit.bonus}, min_quantity = ${edit.minQuantity},
          max_quantity = ${edit.maxQuantity}, active = ${edit.active}, updated_at = ${clock.now()}
      where id = ${id}`);
    await recordActivity(tx, clock, {
      ...by,
      action: "product.edited",
      object: { kind: "product", id },
      before,
      after: edit,
    });
  });

export const toEdit = ({ name, bonus, minQuantity, maxQuantity, active }: ProductEdit): ProductEdit => ({
  name,
  bonus,
  minQuantity,
  maxQuantity,
  active,
});

const isSame = (one: ProductEdit, other: ProductEdit): boolean =>
  JSON.stringify(toEdit(one)) === JSON.stringify(toEdit(other));
