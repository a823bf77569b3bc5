import sql, { raw } from "sql-template-tag";
import type { Tx } from "../../db/database.ts";
import {
  assignDetails,
  changedDetails,
  type DetailColumns,
  detailColumns,
  detailDefinitions,
  detailsOfProduct,
  mergedDetails,
  newDetails,
} from "../product-details.ts";

/** A product to import, with its position in the file. */
export type StagedProduct = {
  ordinal: number;
  line: number;
  id: string;
  name: string;
  type: string;
  face_value_amount: string;
  face_value_currency: string;
  face_value_unit: string;
  face_value_is_money: boolean;
  bonus: string;
  min_quantity: number;
  max_quantity: number;
  /** JSON text. */
  input_fields: string;
  active: boolean | null;
  hidden: boolean | null;
} & DetailColumns;

/** A duplicate id in the file: the later line and the first. */
export type DuplicateRow = { id: string; line: number; firstLine: number };

/** Rows by position in the file, counted from 1, both ends included. */
export type OrdinalRange = { first: number; last: number };

const DUPLICATES_PER_FETCH = 1_000;

export type ChangeCounts = { created: number; updated: number; unchanged: number };

/** Holds the file until it is known to be complete. The checks of `products` apply on merge. */
export async function createStaging(tx: Tx): Promise<void> {
  await tx.rows(sql`
    create temporary table staged_products (
      ordinal bigint not null,
      line bigint not null,
      id text collate "C" not null,
      name text not null,
      type text not null,
      face_value_amount text not null,
      face_value_currency text not null,
      face_value_unit text not null,
      face_value_is_money boolean not null,
      bonus text not null,
      min_quantity integer not null,
      max_quantity integer not null,
      input_fields jsonb not null,
      active boolean,
      hidden boolean,
      ${detailDefinitions}
    ) on commit drop`);
}

/** Takes the batch as one JSON array: one parameter for any number of rows. */
export async function insertStaged(tx: Tx, products: readonly StagedProduct[]): Promise<void> {
  await tx.rows(sql`
    insert into staged_products (
      ordinal, line, id, name, type, face_value_amount, face_value_currency, face_value_unit, face_value_is_money,
      bonus, min_quantity, max_quantity, input_fields, active, hidden, ${detailColumns}
    )
    select
      ordinal, line, id, name, type, face_value_amount, face_value_currency, face_value_unit, face_value_is_money,
      bonus, min_quantity, max_quantity, input_fields::jsonb, active, hidden, ${detailColumns}
    from json_to_recordset(${JSON.stringify(products)}::json) as product (
      ordinal bigint, line bigint, id text, name text, type text, face_value_amount text, face_value_currency text,
      face_value_unit text, face_value_is_money boolean, bonus text, min_quantity integer, max_quantity integer,
      input_fields text, active boolean, hidden boolean, ${detailDefinitions}
    )`);
}

/** A table that is filled and read in one transaction has no statistics unless it is analyzed. */
export async function analyzeStaging(tx: Tx): Promise<void> {
  await tx.rows(sql`analyze staged_products`);
}

/** A cursor, because a file can have as many duplicates as rows. */
export async function openDuplicates(tx: Tx): Promise<void> {
  await tx.rows(sql`
    declare duplicate_products no scroll cursor for
    select id, line::integer as line, first_line::integer as "firstLine"
    from (
      select
        id, line, ordinal,
        first_value(line) over same_id as first_line,
        row_number() over same_id as occurrence
      from staged_products
      window same_id as (partition by id order by ordinal)
    ) numbered
    where occurrence > 1
    order by ordinal`);
}

export const fetchDuplicates = (tx: Tx): Promise<DuplicateRow[]> =>
  tx.rows<DuplicateRow>(sql`fetch forward ${raw(String(DUPLICATES_PER_FETCH))} from duplicate_products`);

/** Otherwise its sorted rows would stay on disk until the commit. */
export async function closeDuplicates(tx: Tx): Promise<void> {
  await tx.rows(sql`close duplicate_products`);
}

/** Of rows with one id the first stays. */
export const dropDuplicates = (tx: Tx) =>
  tx.rows(sql`
    delete from staged_products where ordinal in (
      select ordinal from (
        select ordinal, row_number() over (partition by id order by ordinal) as occurrence from staged_products
      ) numbered
      where occurrence > 1)`);

export async function countStaged(tx: Tx): Promise<number> {
  const [row] = await tx.rows<{ count: number }>(sql`select count(*)::integer as count from staged_products`);
  return row?.count ?? 0;
}

/** What the merge would do. Members that the file omits keep their current value. */
export async function countChanges(tx: Tx): Promise<ChangeCounts> {
  const [counts] = await tx.rows<ChangeCounts>(sql`
    select
      (count(*) filter (where p.id is null))::integer as created,
      (count(*) filter (where p.id is not null and (${differs})))::integer as updated,
      (count(*) filter (where p.id is not null and not (${differs})))::integer as unchanged
    from staged_products s
    left join products p on p.id = s.id`);
  return counts ?? { created: 0, updated: 0, unchanged: 0 };
}

/** A product that the merge will create or change, and the columns that differ. */
export type ProductChange = { id: string; name: string; isNew: boolean; changed: string[] };

/** The first of the changes, by id. */
export const listChanges = (tx: Tx, limit: number) =>
  tx.rows<ProductChange>(sql`
    select s.id, s.name, p.id is null as "isNew", case when p.id is null then '{}' else array_remove(array[
      case when p.name is distinct from s.name then 'name' end,
      case when p.type is distinct from s.type then 'type' end,
      case when (p.face_value_amount, p.face_value_currency, p.face_value_unit, p.face_value_is_money) is distinct from
        (s.face_value_amount, s.face_value_currency, s.face_value_unit, s.face_value_is_money) then 'face value' end,
      case when p.bonus is distinct from s.bonus then 'bonus' end,
      case when (p.min_quantity, p.max_quantity) is distinct from (s.min_quantity, s.max_quantity) then 'quantities' end,
      case when p.input_fields is distinct from s.input_fields then 'input fields' end,
      case when p.active is distinct from coalesce(s.active, p.active) then 'active' end,
      case when p.hidden is distinct from coalesce(s.hidden, p.hidden) then 'hidden' end,
      ${changedDetails}
    ], null) end as changed
    from staged_products s left join products p on p.id = s.id
    where p.id is null or (${differs})
    order by s.id limit ${limit}`);

export async function insertNewProducts(tx: Tx): Promise<void> {
  await tx.rows(sql`
    insert into products (
      id, name, type, face_value_amount, face_value_currency, face_value_unit, face_value_is_money, bonus,
      min_quantity, max_quantity, input_fields, active, hidden, ${detailColumns}
    )
    select
      s.id, s.name, s.type, s.face_value_amount, s.face_value_currency, s.face_value_unit, s.face_value_is_money,
      s.bonus, s.min_quantity, s.max_quantity, s.input_fields, coalesce(s.active, true), coalesce(s.hidden, false),
      ${newDetails}
    from staged_products s
    where not exists (select from products p where p.id = s.id)
    order by s.id`);
}

export async function updateChangedProducts(tx: Tx): Promise<void> {
  await tx.rows(sql`
    update products p
    set
      name = s.name, type = s.type, face_value_amount = s.face_value_amount,
      face_value_currency = s.face_value_currency, face_value_unit = s.face_value_unit,
      face_value_is_money = s.face_value_is_money, bonus = s.bonus, min_quantity = s.min_quantity,
      max_quantity = s.max_quantity, input_fields = s.input_fields, active = coalesce(s.active, p.active),
      hidden = coalesce(s.hidden, p.hidden), ${assignDetails}, updated_at = now()
    from staged_products s
    where p.id = s.id and (${differs})`);
}

/** Whether a staged row differs from the product with its id. */
const differs = sql`
  (
    p.name, p.type, p.face_value_amount, p.face_value_currency, p.face_value_unit, p.face_value_is_money, p.bonus,
    p.min_quantity, p.max_quantity, p.input_fields, p.active, p.hidden, ${detailsOfProduct}
  ) is distinct from (
    s.name, s.type, s.face_value_amount, s.face_value_currency, s.face_value_unit, s.face_value_is_money, s.bonus,
    s.min_quantity, s.max_quantity, s.input_fields, coalesce(s.active, p.active), coalesce(s.hidden, p.hidden),
    ${mergedDetails}
  )`;

export async function setSavepoint(tx: Tx): Promise<void> {
  await tx.rows(sql`savepoint import_step`);
}

export async function returnToSavepoint(tx: Tx): Promise<void> {
  await tx.rows(sql`rollback to savepoint import_step`);
}

/** A table with every check of `products`, including those of later migrations. */
export async function createTrial(tx: Tx): Promise<void> {
  await tx.rows(sql`
    create temporary table trial_products (like products including defaults including constraints)
    on commit drop`);
}

/** Fails when a check refuses one of these rows. */
export async function insertTrial(tx: Tx, range: OrdinalRange): Promise<void> {
  await tx.rows(sql`
    insert into trial_products (
      id, name, type, face_value_amount, face_value_currency, face_value_unit, face_value_is_money, bonus,
      min_quantity, max_quantity, input_fields, ${detailColumns}
    )
    select
      id, name, type, face_value_amount, face_value_currency, face_value_unit, face_value_is_money, bonus,
      min_quantity, max_quantity, input_fields, ${newDetails}
    from staged_products s
    where ordinal between ${range.first} and ${range.last}`);
}

/** Removes a row, and returns it. */
export async function takeStaged(tx: Tx, ordinal: number): Promise<{ id: string; line: number } | undefined> {
  const [row] = await tx.rows<{ id: string; line: number }>(
    sql`delete from staged_products where ordinal = ${ordinal} returning id, line::integer as line`,
  );
  return row;
}
