import { raw, type Sql } from "sql-template-tag";

/** `unit ord_…/0/1`: the order, line and index of the unit in a row. */
export const unitName = (table: string): Sql => raw(`'unit ' || ${unitKey(table)}`);

/** `attempt ord_…/0/1/2`: the second attempt to buy that unit. */
export const attemptName = (table: string): Sql =>
  raw(`'attempt ' || ${unitKey(table)} || '/' || ${table}.number`);

/** The condition that two rows refer to the same unit. */
export const sameUnit = (one: string, other: string): Sql =>
  raw(
    ["order_id", "line_index", "unit_index"]
      .map((column) => `${one}.${column} = ${other}.${column}`)
      .join(" and "),
  );

const unitKey = (table: string): string =>
  `${table}.order_id || '/' || ${table}.line_index || '/' || ${table}.unit_index`;
