import sql, { empty, join, raw, type Sql } from "sql-template-tag";

/** One column of the rows that a statement writes: sent with each row, or computed in SQL from what is sent. */
export type Column<Row> = SentColumn<Row> | ComputedColumn;
export type SentColumn<Row> = { column: string; type: ColumnType; value: (row: Row) => ColumnValue };
export type ComputedColumn = { column: string; sql: string };

/** The type of a column in the database. */
export type ColumnType =
  | "text"
  | "boolean"
  | "smallint"
  | "integer"
  | "bigint"
  | "timestamptz"
  | "jsonb"
  | "bytea";

/** Never an empty text: a column with nothing else would split into no values. */
export type ColumnValue = string | number | bigint | boolean | null;

/** Control characters that no value may contain. */
const SEPARATOR = "\u001f";
const NULL = "\u001e";

/**
 * The rows of these columns as a statement reads them. Each column is one parameter, a text that the database splits, because
 * an array or JSON costs both sides several times as much. The columns are unnested in a list and not by one `unnest` of them
 * all, which keeps each column in a store of its own before it makes rows of them. There are none where the condition, which is of no
 * row, does not hold.
 */
export function fromTexts(
  alias: string,
  columns: readonly SentColumn<never>[],
  firstParameter: number,
  condition = "",
): string {
  const values = columns.map(
    ({ column, type }, index) => `unnest(${splitText(firstParameter + index, type)}) as ${column}`,
  );
  return `(select ${values.join(", ")}${condition === "" ? "" : ` where ${condition}`}) ${alias}`;
}

/** One parameter of `joinTexts` as the array that it was. */
export const splitText = (parameter: number, type: ColumnType): string =>
  `string_to_array($${parameter}, E'\\x1f', E'\\x1e')${type === "text" ? "" : `::${type}[]`}`;

/** The parameters for `fromTexts`. */
export const toTexts = <Row>(columns: readonly SentColumn<Row>[], rows: readonly Row[]): string[] =>
  columns.map(({ value }) => joinTexts(rows, value));

/** The same inside of an `sql` template, with the values of these rows. */
export const fromRows = <Row>(
  alias: string,
  columns: readonly SentColumn<Row>[],
  rows: readonly Row[],
): Sql => {
  const values = columns.map(
    ({ column, type, value }) => sql`unnest(${fromList(type, rows, value)}) as ${raw(column)}`,
  );
  return sql`(select ${join(values)}) ${raw(alias)}`;
};

/** One value of each row as an array, sent as one text. */
export const fromList = <Row>(
  type: ColumnType,
  rows: readonly Row[],
  value: (row: Row) => ColumnValue,
): Sql =>
  sql`string_to_array(${joinTexts(rows, value)}, E'\\x1f', E'\\x1e')${type === "text" ? empty : raw(`::${type}[]`)}`;

/** The values of a column, as one text. */
export function joinTexts<Row>(rows: readonly Row[], value: (row: Row) => ColumnValue): string {
  let text = "";
  for (let index = 0; index < rows.length; index += 1) {
    if (index > 0) text += SEPARATOR;
    text += value(rows[index] as Row) ?? NULL;
  }
  return text;
}

/** How a `bytea` is sent. */
export const hex = (bytes: Buffer): string => `\\x${bytes.toString("hex")}`;

/** Untrusted text, which could contain separators. */
export const withoutSeparators = (text: string): string =>
  text.replaceAll(SEPARATOR, " ").replaceAll(NULL, " ");

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
