/** Part of a list that is read backwards by id. */
export type Slice<Row> = {
  rows: Row[];
  /** The next page begins below this id; undefined when there is none. */
  nextBeforeId: string | undefined;
};

/** What a list's statement returns: a row at least, which says how many were looked at, and of the list perhaps none. */
export type LookedRow<Row> = { [Column in keyof Row]: Row[Column] | null } & {
  examined: number;
  lastExaminedId: string | null;
};

/**
 * How many rows are looked at for one page when an index brings them and a filter without one judges them. So that a page
 * costs the same however rare its matches are, it ends after so many, full or not, and the next one goes on from there.
 */
export const EXAMINED_MAX = 300;

/** Greater than every id. */
export const NO_ID = "~";

export function toSlice<Row extends { id: string }>(
  found: readonly LookedRow<Row>[],
  limit: number,
  examinedMax: number,
): Slice<Row> {
  const matching = found.filter((row) => row.id !== null) as unknown as Row[];
  const rows = matching.slice(0, limit);
  if (matching.length > limit) return { rows, nextBeforeId: rows.at(-1)?.id };
  const [looked] = found;
  const isWhole = looked === undefined || looked.examined < examinedMax;
  return { rows, nextBeforeId: isWhole ? undefined : (looked.lastExaminedId ?? undefined) };
}
