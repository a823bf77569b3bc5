import type { Db } from "../../db/database.ts";
import { createSharedRateLimiter } from "../../http/limits/shared-rate-limit.ts";
import { createRateLimiter, type RateLimiter } from "../../http/rate-limit.ts";
import type { Log } from "../../lib/log.ts";
import { runLoop } from "../../work/run-loop.ts";
import { countServing, pruneAllowances, takeAllowances } from "./allowance-queries.ts";

export type SharedLimits = { rateLimiter: RateLimiter; stop(): Promise<void> };

/** For this long after another process has started, a process that was alone still grants the limits by itself. */
const COUNT_EVERY_MS = 2_000;
const PRUNE_EVERY_MS = 60_000;

/** The limits of keys, shared with all processes of this database. The process must have its heartbeat already. */
export async function openSharedLimits(db: Db, log: Log): Promise<SharedLimits> {
  const nowMs = (): number => performance.now();
  let processes = await countServing(db);
  let pruneAtMs = nowMs() + PRUNE_EVERY_MS;
  const watch = runLoop({
    pollMs: COUNT_EVERY_MS,
    async step() {
      processes = await countServing(db);
      if (processes > 1 && nowMs() > pruneAtMs) {
        pruneAtMs = nowMs() + PRUNE_EVERY_MS;
        await pruneAllowances(db);
      }
      return false;
    },
    // It keeps the last number. Whether the database answers is the business of others.
    onError: () => {},
  });
  const rateLimiter = createSharedRateLimiter({
    local: createRateLimiter(nowMs),
    nowMs,
    processes: () => processes,
    exchange: (asks) => takeAllowances(db, asks),
    onAlone: (err) =>
      log.warn({ err }, "rate limits could not be shared; this process counts alone for a moment"),
  });
  return { rateLimiter, stop: () => watch.stop() };
}
