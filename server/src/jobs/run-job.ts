import { isDatabaseUnavailable } from "../db/database-errors.ts";
import type { Log } from "../lib/log.ts";
import { type HeldJob, holdJob, LEASE_MS } from "./hold-job.ts";
import { JobCancelled, type JobDeps, JobFailed, JobReleased } from "./job-kind.ts";
import { findJobKind } from "./kinds.ts";
import { type JobEnd, releaseJob, type TakenJob, takeJob } from "./queries.ts";

/** A job that keeps killing its worker, or fails for an unknown reason, is not tried without end. */
export const RUNS_MAX = 5;
const ERROR_MAX_CHARACTERS = 1_000;

/** Takes the next job and works on it until it ends or has to be left to another worker. False when there is none. */
export async function runNextJob(
  deps: JobDeps & { log: Log },
  signal: AbortSignal = new AbortController().signal,
): Promise<boolean> {
  const now = deps.clock.now();
  const job = await takeJob(deps.db, now, new Date(now.getTime() + LEASE_MS));
  if (!job) return false;
  const held = await holdJob(deps, job, signal);
  try {
    await run(deps, job, held);
  } catch (error) {
    await settle(deps, job, held, error);
  } finally {
    await held.letGo();
  }
  return true;
}

async function run(deps: JobDeps, job: TakenJob, { running }: HeldJob): Promise<void> {
  if (job.isCancelled) throw new JobCancelled("the job was cancelled");
  if (job.runs > RUNS_MAX)
    throw new JobFailed(`the job was started ${RUNS_MAX} times and never came to its end`);
  const kind = findJobKind(job.kind);
  if (!kind) throw new JobFailed("this version of Scrip does not know this kind of job");
  await kind.run(deps, running);
}

async function settle(
  deps: JobDeps & { log: Log },
  job: TakenJob,
  held: HeldJob,
  error: unknown,
): Promise<void> {
  const { db, clock, log } = deps;
  if (error instanceof JobCancelled) return finish(deps, held, { state: "cancelled" });
  if (error instanceof JobReleased) {
    // A run that was given back does not count.
    await releaseJob(db, job, clock.now(), job.runs - 1);
    return;
  }
  if (error instanceof JobFailed)
    return finish(deps, held, { state: "failed", error: sayError(error), result: error.result }, error.part);
  // The words of a RangeError are for people, in all rooms.
  if (error instanceof RangeError) return finish(deps, held, { state: "failed", error: sayError(error) });
  // Another worker, or this one, tries again when the lease ends.
  log.error(
    { err: error, jobId: job.id, kind: job.kind, runs: job.runs },
    "a job was interrupted; it is tried again",
  );
  if (isDatabaseUnavailable(error) || job.runs < RUNS_MAX) return;
  await finish(deps, held, {
    state: "failed",
    error: "an internal error; the log has it under the id of the job",
  });
}

/** Nothing is written when the job has passed to another worker meanwhile. */
const finish = ({ db }: JobDeps, held: HeldJob, end: JobEnd, part?: string): Promise<void> =>
  db
    .transaction((tx) => held.end(tx, end, part))
    .catch((error: unknown) => {
      if (!(error instanceof JobReleased)) throw error;
    });

const sayError = ({ message }: Error): string => message.slice(0, ERROR_MAX_CHARACTERS);
