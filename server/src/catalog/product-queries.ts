import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { InputFieldSpec } from "./input-field-spec.ts";
import { type DetailRow, type ProductDetails, selectDetails } from "./product-details.ts";

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
} & ProductDetails;

const fileColumns = sql`
  id, name, type,
  json_build_object(
    'amount', face_value_amount, 'currency', face_value_currency,
    'unit', face_value_unit, 'isMoney', face_value_is_money
  ) as "faceValue",
  bonus, min_quantity as "minQuantity", max_quantity as "maxQuantity", input_fields as "inputFields", active, hidden,
  ${selectDetails("products")}`;

export const findCatalogProduct = async (
  db: Queryable,
  id: string,
): Promise<CatalogFileProduct | undefined> => {
  const [row] = await db.rows<FileRow>(sql`select ${fileColumns} from products where id = ${id}`);
  return row && toFileProduct(row);
};

export const updateHidden = async (
  db: Queryable,
  id: string,
  hidden: boolean,
  now: Date,
): Promise<CatalogFileProduct[]> => {
  const rows = await db.rows<FileRow>(sql`
    update products set hidden = ${hidden}, updated_at = ${now} where id = ${id}
    returning ${fileColumns}`);
  return rows.map(toFileProduct);
};

type FileRow = Omit<CatalogFileProduct, keyof ProductDetails> & DetailRow;

/** Absent details are omitted. Nothing else of a product can be null. */
const toFileProduct = (row: FileRow): CatalogFileProduct =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as CatalogFileProduct;

export const hasProducts = async (db: Queryable): Promise<boolean> => {
  const [row] = await db.rows<{ found: boolean }>(sql`select exists (select from products) as found`);
  return row?.found ?? false;
};
