import sql, { type Sql } from "sql-template-tag";

/** Purchases take some seconds; one that is open for longer, or whose answer was lost, counts as unknown. */
export const UNKNOWN_AFTER_MS = 60_000;

/** Whether the outcome of the attempt `a` is not known. */
export const isUnknown = (now: Date): Sql => sql`
  a.status = 'open' and (a.doubtful or a.opened_at < ${new Date(now.getTime() - UNKNOWN_AFTER_MS)})`;

/** What the supplier of the attempt `a` said, as `KeptWords`. */
export const keptWords: Sql = sql`
  a.told_state as "toldState", a.sends, a.looks, a.send_answer as "sendAnswer",
  a.send_http_status::integer as "sendHttpStatus", a.send_status_word as "sendWord", a.look_answer as "lookAnswer",
  a.look_http_status::integer as "lookHttpStatus", a.look_status_word as "lookWord"`;

/** Whether an open attempt that its supplier does not find waits for a person. */
export const waitsForPerson: Sql = sql`not_found_state in ('books_differ', 'too_many')`;

export type UnitRef = { lineIndex: number; unitIndex: number };

/** Which units of an order are meant. */
export type UnitChoice = {
  /** Only units of these lines; null for all. */
  lines: readonly number[] | null;
  /** Only these units; null for all. */
  units: readonly UnitRef[] | null;
  /**
   * All, only those that are not being bought, only those whose purchase has no known outcome, or only those that their supplier took
   * back after delivery and about which nobody has decided.
   */
  which: "all" | "not_bought" | "unknown" | "reversed";
};

/** Whether the supplier took the unit `u` back after delivery, and nobody has kept it. A unit that was refunded is decided. */
export const isReversed: Sql = sql`exists (
  select from supplier_reversals r
  where r.order_id = u.order_id and r.line_index = u.line_index and r.unit_index = u.unit_index and r.kept_at is null)`;

/** Whether the unit `u` is one of them. It holds as well after the unit was given up and its purchase written off. */
export function isChosen({ lines, units, which }: UnitChoice, now: Date): Sql {
  const ofAttempt = (condition: Sql) => sql`exists (
    select from supplier_attempts a
    where a.order_id = u.order_id and a.line_index = u.line_index and a.unit_index = u.unit_index and ${condition})`;
  const kind = {
    all: () => sql`true`,
    not_bought: () => sql`not ${ofAttempt(sql`a.status = 'open'`)}`,
    unknown: () => ofAttempt(isUnknown(now)),
    reversed: () => isReversed,
  };
  return sql`(${lines}::smallint[] is null or u.line_index = any(${lines}))
    and (${units === null} or (u.line_index, u.unit_index) in (
      select * from unnest(${units?.map((unit) => unit.lineIndex) ?? []}::smallint[],
                           ${units?.map((unit) => unit.unitIndex) ?? []}::integer[])))
    and ${kind[which]()}`;
}
