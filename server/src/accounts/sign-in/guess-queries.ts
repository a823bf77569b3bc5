import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";

/** How many failures a subject has free, and how fast one is forgiven. */
export type GuessLimit = { freeTries: number; forgiveMs: number };

/**
 * Counts one try and says whether it may be made. A try counts as failed until it is known to be right, so that guesses that
 * are made at the same time cannot pass together. While the subject is locked, tries are refused and not counted: the lock ends
 * by itself. Each failure beyond the free ones locks for twice as long as the one before; failures are forgiven one by one.
 */
export const takeGuess = async (
  db: Queryable,
  subject: Buffer,
  { freeTries, forgiveMs }: GuessLimit,
  now: Date,
  lock: { firstMs: number; maxMs: number },
): Promise<boolean> => {
  const failures = sql`(1 + greatest(0, g.failures
    - floor(extract(epoch from ${now}::timestamptz - g.last_at) * 1000 / ${forgiveMs}::integer)))::integer`;
  const rows = await db.rows(sql`
    insert into guess_counts as g (subject, failures, last_at) values (${subject}, 1, ${now})
    on conflict (subject) do update set
      failures = ${failures},
      last_at = ${now},
      locked_until = case when ${failures} < ${freeTries}::integer then null
        else ${now}::timestamptz + interval '1 millisecond' * least(
          ${lock.maxMs}::double precision,
          ${lock.firstMs}::double precision * 2 ^ least(${failures} - ${freeTries}::integer, 30)) end
    where g.locked_until is null or g.locked_until <= ${now}
    returning 1`);
  return rows.length > 0;
};

/** The try was right: what was counted against the subject is forgotten. */
export const clearGuesses = (db: Queryable, subject: Buffer) =>
  db.rows(sql`delete from guess_counts where subject = ${subject}`);

/** The try was right, but other tries of the same subject were not: this one is taken back. */
export const takeBackGuess = (db: Queryable, subject: Buffer, now: Date) =>
  db.rows(sql`
    update guess_counts set failures = greatest(failures - 1, 0),
      locked_until = case when locked_until > ${now} then null else locked_until end
    where subject = ${subject}`);

/** Those that nobody tried for so long. */
export const deleteOldGuesses = (db: Queryable, before: Date, limit: number) =>
  db.rows<{ subject: Buffer }>(sql`
    delete from guess_counts where subject in (
      select subject from guess_counts where last_at < ${before} order by last_at limit ${limit} for update skip locked)
    returning subject`);
