import { setTimeout as wait } from "node:timers/promises";
import type { Queryable } from "../../../db/database.ts";
import { getJob, type JobDetails } from "../../../jobs/list-jobs.ts";
import { startProgress } from "../../output/progress.ts";

const LOOK_EVERY_MS = 300;

/** Looks until the job has ended, or waits for a person, with a progress bar. */
export async function followJob(db: Queryable, id: string): Promise<JobDetails> {
  const progress = startProgress("done");
  try {
    for (;;) {
      const job = await getJob(db, id);
      if (job.isEnded || job.state === "ready") return job;
      const total = Number(job.total ?? 0n);
      progress.advance(Number(job.done), total > 0 ? Number(job.done) / total : undefined);
      await wait(LOOK_EVERY_MS);
    }
  } finally {
    progress.end();
  }
}
