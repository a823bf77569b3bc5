import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { dropJob } from "./change-job.ts";
import { deleteOldResults } from "./part-queries.ts";
import { deleteOldJobs, lockForgotten } from "./queries.ts";

const DAY_MS = 86_400_000;
/** How long the file of a result can be downloaded. */
const RESULTS_KEPT_MS = 7 * DAY_MS;
/** A preview holds a sealed file, so it waits for a day at most. */
const PREVIEWS_KEPT_MS = DAY_MS;
const JOBS_KEPT_MS = 90 * DAY_MS;
const ROWS_PER_STATEMENT = 200;

/** Removes what nobody needs any more. True when there may be more. */
export async function pruneJobs({ db, clock }: { db: Db; clock: Clock }): Promise<boolean> {
  const now = clock.now();
  const ago = (ms: number): Date => new Date(now.getTime() - ms);
  await db.transaction(async (tx) => {
    for (const { id } of await lockForgotten(tx, ago(PREVIEWS_KEPT_MS), ROWS_PER_STATEMENT))
      await dropJob(tx, id, now);
  });
  const removed = await deleteOldResults(db, ago(RESULTS_KEPT_MS), ROWS_PER_STATEMENT);
  await deleteOldJobs(db, ago(JOBS_KEPT_MS), ROWS_PER_STATEMENT);
  return removed.length === ROWS_PER_STATEMENT;
}
