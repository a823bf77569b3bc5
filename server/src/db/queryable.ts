import type { Sql } from "sql-template-tag";

/** Anything that runs a statement: the pool, or one transaction. */
export type Queryable = {
  rows<Row>(query: Statement, options?: QueryOptions): Promise<Row[]>;
};

/** An `sql` template, or a text that is built once and used with many values. */
export type Statement = Pick<Sql, "text" | "values">;

/** One open transaction. No network call is made while one is open. */
export type Tx = Queryable & { readonly isTransaction: true };

/** A name prepares the statement on each connection that runs it. For hot paths. */
export type QueryOptions = { name?: string };
