import sql from "sql-template-tag";
import type { Tx } from "../../db/database.ts";
import type { InputFieldSpec } from "../input-field-spec.ts";
import { type DetailRow, selectDetails } from "../product-details.ts";
import type { ProductType } from "./product-file.ts";

export type ExportRow = {
  id: string;
  name: string;
  type: ProductType;
  faceValueAmount: string;
  faceValueCurrency: string;
  faceValueUnit: string;
  faceValueIsMoney: boolean;
  bonus: string;
  minQuantity: number;
  maxQuantity: number;
  inputFields: InputFieldSpec[];
  active: boolean;
  hidden: boolean;
} & DetailRow;

const BATCH_ROWS = 1_000;

/** Must be the transaction's first statement. All later reads see one snapshot. */
export async function readFromOneSnapshot(tx: Tx): Promise<void> {
  await tx.rows(sql`set transaction isolation level repeatable read, read only`);
}

/** The next products by id, including hidden and inactive ones. */
export const listProductsAfter = (tx: Tx, afterId: string): Promise<ExportRow[]> =>
  tx.rows<ExportRow>(sql`
    select
      id, name, type, face_value_amount as "faceValueAmount", face_value_currency as "faceValueCurrency",
      face_value_unit as "faceValueUnit", face_value_is_money as "faceValueIsMoney", bonus,
      min_quantity as "minQuantity", max_quantity as "maxQuantity", input_fields as "inputFields", active, hidden,
      ${selectDetails("products")}
    from products
    where id > ${afterId}
    order by id
    limit ${BATCH_ROWS}`);

export async function countProducts(tx: Tx): Promise<number> {
  const [row] = await tx.rows<{ count: number }>(sql`select count(*)::integer as count from products`);
  return row?.count ?? 0;
}
