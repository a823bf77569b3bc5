import type { Sql } from "sql-template-tag";

/** One promise of CONTRACT 9 that can be proved on the running database. */
export type Invariant = {
  number: number;
  name: string;
  /** How many things the promise is about. */
  count: Sql;
  /** Finds whatever breaks it: one row each, with a text that says what and where, and nothing secret. */
  violations: Sql;
};
