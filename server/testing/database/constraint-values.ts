type Value = string | number | boolean | null | Buffer;
type Row = Readonly<Record<string, Value>>;

/** A row that a table accepts, and for each of its check constraints rows that it must refuse. */
export type ConstraintCases = {
  table: string;
  valid: Row;
  /** Further rows that are accepted: values that are just allowed. */
  alsoValid: readonly Row[];
  /** What is different from the valid row, by the constraint that refuses it. */
  refused: Readonly<Record<string, readonly Row[]>>;
  /** Two rows of which the second must be refused, by the unique constraint or index. */
  once?: Readonly<Record<string, readonly [Row, Row]>>;
};

export const AMOUNT_MAX = "9007199254740991";
export const ABOVE_MAX = "9007199254740992";
export const AT = "2030-01-31T12:00:00.000Z";
export const LATER = "2030-01-31T13:00:00.000Z";
export const HASH = Buffer.alloc(32);
export const SHORT_HASH = Buffer.alloc(31);
export const LONG = (characters: number): string => "x".repeat(characters);
export const OWNER = { reseller_id: "rsl_1", environment: "live" };
export const UNIT = { order_id: "ord_1", line_index: 0, unit_index: 0 };
