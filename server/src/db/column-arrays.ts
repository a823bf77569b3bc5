import sql, { join, raw, type Sql } from "sql-template-tag";
import { type ColumnType, toBinaryArray, type ValueOf } from "./binary-arrays.ts";

/** One column of the rows that a statement writes: sent with each row, or computed in SQL from what is sent. */
export type Column<Row> = SentColumn<Row> | ComputedColumn;
export type SentColumn<Row> = {
  [T in ColumnType]: { column: string; type: T; value: (row: Row) => ValueOf[T] | null };
}[ColumnType];
export type ComputedColumn = { column: string; sql: string };

/**
 * The rows of these columns as a statement reads them. Each column is one parameter, an array: texts that the database splits and
 * reads cost it twice as much. The columns are unnested in a list and not by one `unnest` of them all, which keeps each column in a
 * store of its own before it makes rows of them. There are none where the condition, which is of no row, does not hold.
 */
export function fromArrays(
  alias: string,
  columns: readonly SentColumn<never>[],
  firstParameter: number,
  condition = "",
): string {
  const values = columns.map(
    ({ column, type }, index) => `unnest(${arrayParameter(firstParameter + index, type)}) as ${column}`,
  );
  return `(select ${values.join(", ")}${condition === "" ? "" : ` where ${condition}`}) ${alias}`;
}

/** The place of an array in the text of a statement. */
export const arrayParameter = (parameter: number, type: ColumnType): string => `$${parameter}::${type}[]`;

/** The parameters for `fromArrays`. */
export const toArrays = <Row>(columns: readonly SentColumn<Row>[], rows: readonly Row[]): Buffer[] =>
  columns.map((column) => toArray(column, rows));

/**
 * The same inside of an `sql` template, with the values of these rows. The arrays are selected, so that the planner does not see how
 * long they are: it would plan a statement with few rows again in each call, which can take longer than to run it.
 */
export const fromRows = <Row>(
  alias: string,
  columns: readonly SentColumn<Row>[],
  rows: readonly Row[],
): Sql => {
  const values = columns.map(
    (one) => sql`unnest((select ${toArray(one, rows)}${raw(`::${one.type}[]`)})) as ${raw(one.column)}`,
  );
  return sql`(select ${join(values)}) ${raw(alias)}`;
};

/** A list of texts, such as ids. */
export const fromTexts = (texts: readonly string[]): Sql =>
  sql`${toBinaryArray("text", texts, (text) => text)}::text[]`;

/** A union of columns is not a column of a union, so each type needs its own look. */
const toArray = <Row>({ type, value }: SentColumn<Row>, rows: readonly Row[]): Buffer =>
  toBinaryArray(type, rows, value as (row: Row) => ValueOf[typeof type] | null);

/** The columns that each row has a value for, with a prefix to tell them apart from those of other tables. */
export const sentColumns = <Row>(columns: readonly Column<Row>[], prefix = ""): SentColumn<Row>[] =>
  columns.flatMap((one) => ("value" in one ? [{ ...one, column: prefix + one.column }] : []));

/** `insert into table (…) select … from source`, where the sent columns of the source can have a prefix. */
export function insertFrom(
  source: string,
  table: string,
  columns: readonly Column<never>[],
  prefix = "",
): string {
  const values = columns.map((one) => ("value" in one ? prefix + one.column : one.sql));
  return `insert into ${table} (${columns.map(({ column }) => column).join(", ")}) select ${values.join(", ")} from ${source}`;
}
