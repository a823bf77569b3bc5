import sql from "sql-template-tag";
import type { Db, Queryable } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { GUESSES_FORGOTTEN_MS } from "./sign-in/guess-limits.ts";
import { deleteOldGuesses } from "./sign-in/guess-queries.ts";

const DAY_MS = 24 * 3_600_000;
/** A link says for so long why it no longer works. */
const LINKS_KEPT_MS = 30 * DAY_MS;
/** By its earlier sessions a known device is told from an unknown one. */
const SESSIONS_KEPT_MS = 100 * DAY_MS;
const ROWS_PER_STATEMENT = 1_000;

/** Removes what nobody needs any more of links, sessions, challenges and counts. True when there may be more. */
export async function pruneAccounts({ db, clock }: { db: Db; clock: Clock }): Promise<boolean> {
  const ago = (ms: number): Date => new Date(clock.now().getTime() - ms);
  const removed = [
    await deleteOldGuesses(db, ago(GUESSES_FORGOTTEN_MS), ROWS_PER_STATEMENT),
    await deleteOldChallenges(db, ago(DAY_MS)),
    await deleteOldLinks(db, ago(LINKS_KEPT_MS)),
    await deleteOldSessions(db, ago(SESSIONS_KEPT_MS)),
  ];
  return removed.some((rows) => rows.length === ROWS_PER_STATEMENT);
}

const deleteOldChallenges = (db: Queryable, before: Date) =>
  db.rows(sql`
    delete from account_challenges where digest in (
      select digest from account_challenges where expires_at < ${before}
      order by expires_at limit ${ROWS_PER_STATEMENT} for update skip locked)
    returning 1`);

const deleteOldLinks = (db: Queryable, before: Date) =>
  db.rows(sql`
    delete from account_links where digest in (
      select digest from account_links where expires_at < ${before}
      order by expires_at limit ${ROWS_PER_STATEMENT} for update skip locked)
    returning 1`);

const deleteOldSessions = (db: Queryable, before: Date) =>
  db.rows(sql`
    delete from sessions where id in (
      select id from sessions where last_seen_at < ${before}
      order by last_seen_at limit ${ROWS_PER_STATEMENT} for update skip locked)
    returning 1`);
