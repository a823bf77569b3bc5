/** One page of a list that is read backwards by id. */
export type Slice<Row> = {
  rows: Row[];
  /** The next page starts below this id. Undefined on the last page. */
  nextBeforeId: string | undefined;
};

/** The result row of a list statement. There is always at least one, which carries the number of examined rows. */
export type LookedRow<Row> = { [Column in keyof Row]: Row[Column] | null } & {
  examined: number;
  lastExaminedId: string | null;
};

/**
 * How many rows one page can examine when an index finds them and an unindexed filter selects among them. A page
 * ends after this many, full or not, so its cost does not depend on how rare the matches are.
 */
export const EXAMINED_MAX = 300;

/** How many times as many rows as are wanted are examined at first. Filters that select most rows need no more. */
const FIRST_LOOK_TIMES = 2;

/**
 * Examines a few rows, and as many as one page can only if the matches among them do not fill it. `look` examines at most so many rows.
 */
export async function lookInSteps<Row extends { id: string }>(
  limit: number,
  examinedMax: number,
  look: (examinedMax: number) => Promise<LookedRow<Row>[]>,
): Promise<Slice<Row>> {
  const first = Math.min(FIRST_LOOK_TIMES * (limit + 1), examinedMax);
  const slice = toSlice(await look(first), limit, first);
  const isDone = first === examinedMax || slice.rows.length === limit || slice.nextBeforeId === undefined;
  return isDone ? slice : toSlice(await look(examinedMax), limit, examinedMax);
}

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
