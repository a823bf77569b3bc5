import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { deleteInput, deleteResult } from "./part-queries.ts";
import { type JobRow, lockJob, markCancelAsked, markCancelled, markConfirmed } from "./queries.ts";

type Deps = { db: Db; clock: Clock };

/** Why a job was not changed, in a sentence for the person who asked. */
export class JobRefused extends RangeError {}

/** A job that nobody works on ends at once. One that runs ends at its next step, and undoes what it has not finished. */
export const cancelJob = ({ db, clock }: Deps, id: string, by: By): Promise<void> =>
  db.transaction(async (tx) => {
    const { state } = await getLocked(tx, id);
    if (isEnded(state)) throw new JobRefused(`this job is ${state} already`);
    const now = clock.now();
    if (state === "running") await markCancelAsked(tx, id, now);
    else await dropJob(tx, id, now);
    await recordActivity(tx, clock, { ...by, action: "job.cancelled", object: { kind: "job", id } });
  });

/** Lets a job do what its preview showed. Of two who confirm at once, one is told. */
export const confirmJob = ({ db, clock }: Deps, id: string, by: By): Promise<void> =>
  db.transaction(async (tx) => {
    const { state, params } = await getLocked(tx, id);
    if (state !== "ready") throw new JobRefused(`this job is ${state} and does not wait for a confirmation`);
    await markConfirmed(tx, id, { ...params, preview: false }, clock.now());
    await deleteResult(tx, id);
    await recordActivity(tx, clock, { ...by, action: "job.confirmed", object: { kind: "job", id } });
  });

/** Ends a job that no worker holds, with all of its files. */
export async function dropJob(tx: Tx, id: string, now: Date): Promise<void> {
  await markCancelled(tx, id, now);
  await deleteInput(tx, id);
  await deleteResult(tx, id);
}

export const isEnded = (state: JobRow["state"]): boolean =>
  state === "succeeded" || state === "failed" || state === "cancelled";

async function getLocked(tx: Tx, id: string): Promise<JobRow> {
  const job = await lockJob(tx, id);
  if (!job) throw new JobRefused(`there is no job ${id}; see: scrip job list`);
  return job;
}
