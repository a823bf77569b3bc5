import { recordActivity } from "../activity/record-activity.ts";
import type { Tx } from "../db/database.ts";
import { appendResult, readInput } from "./job-files.ts";
import { JobCancelled, type JobDeps, JobReleased, type RunningJob } from "./job-kind.ts";
import { deleteInput, deleteResult, measureParts } from "./part-queries.ts";
import { endHeldJob, type JobEnd, markReady, renewLease, type TakenJob, writeStep } from "./queries.ts";

export const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 1_000;

export type HeldJob = {
  running: RunningJob;
  /** Ends the job, in a transaction of the caller. */
  end(tx: Tx, end: JobEnd, part?: string): Promise<void>;
  /** Stops renewing the lease. */
  letGo(): Promise<void>;
};

/** Keeps the lease of a job while it runs, writes its progress with it, and learns that it was cancelled. */
export async function holdJob(deps: JobDeps, job: TakenJob, signal: AbortSignal): Promise<HeldJob> {
  const { db, clock, keyring } = deps;
  const { bytes } = await measureParts(db, job.id, "input");
  const actor = { kind: job.actorKind, id: job.actorId };
  let progress: { done: number; total: number | undefined } | undefined;
  let stopped: Error | undefined = job.isCancelled ? new JobCancelled("the job was cancelled") : undefined;
  let renewing: Promise<void> | undefined;

  const renew = async (): Promise<void> => {
    const until = new Date(clock.now().getTime() + LEASE_MS);
    const renewed = await renewLease(db, job, until, progress).catch(() => "unavailable" as const);
    if (renewed === "unavailable") return;
    if (!renewed) stopped ??= new JobReleased("the job was taken over by another worker");
    else if (renewed.isCancelled) stopped ??= new JobCancelled("the job was cancelled");
  };
  const timer = setInterval(() => {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
  }, RENEW_EVERY_MS);

  const assertHeld = (): void => {
    if (signal.aborted) throw new JobReleased("the process stops");
    if (stopped) throw stopped;
  };
  const own = (isOwn: boolean): void => {
    if (!isOwn) throw new JobReleased("the job was taken over by another worker");
  };
  const end: HeldJob["end"] = async (tx, ending, part) => {
    if (part !== undefined) await appendResult(tx, job.id, part);
    await deleteInput(tx, job.id);
    // Half of a file looks like a whole one.
    if (ending.state === "cancelled") await deleteResult(tx, job.id);
    own(await endHeldJob(tx, job, ending, clock.now()));
    await recordActivity(tx, clock, {
      actor,
      action: `job.${ending.state}`,
      object: { kind: "job", id: job.id },
      after: { kind: job.kind },
    });
  };

  return {
    end,
    async letGo() {
      clearInterval(timer);
      await renewing;
    },
    running: {
      ...job,
      actor,
      inputBytes: bytes,
      input: () => readInput(db, keyring, job.id),
      advance(done, total) {
        progress = { done, total };
        assertHeld();
      },
      async checkpoint(tx, { part, ...step }) {
        assertHeld();
        if (part !== undefined) await appendResult(tx, job.id, part);
        own(await writeStep(tx, job, step));
        progress = { done: step.done, total: step.total };
      },
      async succeed(tx, result, part) {
        assertHeld();
        await end(tx, { state: "succeeded", result }, part);
      },
      async askToConfirm(tx, result, part) {
        assertHeld();
        if (part !== undefined) await appendResult(tx, job.id, part);
        own(await markReady(tx, job, result));
      },
    },
  };
}
