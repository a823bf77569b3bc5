import type { Log } from "../lib/log.ts";
import { type Loop, runLoop } from "../work/run-loop.ts";
import type { JobDeps } from "./job-kind.ts";
import { pruneJobs } from "./prune-jobs.ts";
import { runNextJob } from "./run-job.ts";

/** A long rotation does not hold up a small export. */
const JOBS_AT_ONCE = 2;
const POLL_MS = 1_000;
const PRUNE_EVERY_MS = 600_000;

export type RunningJobs = {
  /** Gives the jobs of this process back at their next step. After the timeout their leases end by themselves. */
  stop(timeoutMs: number): Promise<void>;
};

/** Works on jobs. */
export function runJobs(deps: JobDeps & { log: Log }): RunningJobs {
  const stopping = new AbortController();
  const loop = (step: () => Promise<boolean>, pollMs: number, what: string): Loop =>
    runLoop({ step, pollMs, onError: (err) => deps.log.error({ err }, `${what} failed; trying again`) });
  const loops = [
    ...Array.from({ length: JOBS_AT_ONCE }, () =>
      loop(() => runNextJob(deps, stopping.signal), POLL_MS, "a job"),
    ),
    loop(() => pruneJobs(deps), PRUNE_EVERY_MS, "the removal of old jobs"),
  ];
  return {
    async stop(timeoutMs) {
      stopping.abort();
      let timer: NodeJS.Timeout | undefined;
      const tooLong = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, timeoutMs);
      });
      await Promise.race([Promise.all(loops.map((one) => one.stop())), tooLong]);
      clearTimeout(timer);
    },
  };
}
