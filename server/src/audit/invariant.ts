import type { Sql } from "sql-template-tag";
import type { Extent } from "./extent.ts";

/** A promise of CONTRACT 9 that can be checked on the running database. */
export type Invariant = {
  number: number;
  name: string;
  /** How many things the promise covers. */
  count: (extent: Extent) => Sql;
  /** Finds violations, one row each, with a text that says what and where, without secrets. */
  violations: (extent: Extent) => Sql;
};
