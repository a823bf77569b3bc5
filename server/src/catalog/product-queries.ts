import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { InputFieldSpec } from "./input-field-spec.ts";

/** A product as the operator sees it, in the shape of a catalog file. */
export type CatalogFileProduct = {
  id: string;
  name: string;
  type: "gift_card" | "top_up";
  faceValue: { amount: string; currency: string; unit: string; isMoney: boolean };
  bonus: string;
  minQuantity: number;
  maxQuantity: number;
  inputFields: InputFieldSpec[];
  active: boolean;
  hidden: boolean;
};

const fileColumns = sql`
  id, name, type,
  json_build_object(
    'amount', face_value_amount, 'currency', face_value_currency,
    'unit', face_value_unit, 'isMoney', face_value_is_money
  ) as "faceValue",
  bonus, min_quantity as "minQuantity", max_quantity as "maxQuantity", input_fields as "inputFields", active, hidden`;

export const findCatalogProduct = async (
  db: Queryable,
  id: string,
): Promise<CatalogFileProduct | undefined> => {
  const [row] = await db.rows<CatalogFileProduct>(sql`select ${fileColumns} from products where id = ${id}`);
  return row;
};

export const updateHidden = (db: Queryable, id: string, hidden: boolean, now: Date) =>
  db.rows<CatalogFileProduct>(sql`
    update products set hidden = ${hidden}, updated_at = ${now} where id = ${id}
    returning ${fileColumns}`);

export const hasProducts = async (db: Queryable): Promise<boolean> => {
  const [row] = await db.rows<{ found: boolean }>(sql`select exists (select from products) as found`);
  return row?.found ?? false;
};
