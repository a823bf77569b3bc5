import { Problem } from "../lib/problem.ts";

/** Placements are counted separately (CONTRACT 1), and so are checks of accounts. */
export type RateLimitClass = "orders" | "reads" | "checks";

/** Requests per second of each class. 0 or absent is off. */
export type RateLimits = { orders: number; reads: number; checks?: number };

export type RateLimitResult = {
  allowed: boolean;
  remaining: number;
  resetSeconds: number;
  retryAfterSeconds: number;
};

export type RateLimiter = {
  /** Takes one request from the bucket. A refused request takes nothing. A promise if other processes have to be asked. */
  take(bucket: string, ratePerSecond: number): RateLimitResult | Promise<RateLimitResult>;
  /** The result `take` would have, without taking. */
  peek(bucket: string, ratePerSecond: number): RateLimitResult;
  /**
   * Takes several at once, also more than are left: later requests wait until they are earned back. Refused only while
   * the bucket is overdrawn already. A promise if other processes have to be asked.
   */
  overdraw(bucket: string, ratePerSecond: number, count: number): RateLimitResult | Promise<RateLimitResult>;
};

/** The limiter of one process, which shared limits use. */
export type LocalRateLimiter = Omit<RateLimiter, "take" | "overdraw"> & {
  take(bucket: string, ratePerSecond: number): RateLimitResult;
  overdraw(bucket: string, ratePerSecond: number, count: number): RateLimitResult;
  /** How long it takes until the bucket is empty again. */
  levelMs(bucket: string): number;
  setLevelMs(bucket: string, levelMs: number): void;
};

/** The burst is two seconds' worth: 100 requests/s allow a burst of 200. */
export const BURST_SECONDS = 2;
const SWEEP_EVERY_MS = 10_000;
/** As a fraction of the time between two requests. */
export const SLACK = 1e-3;

/**
 * GCRA: one number per bucket, the time at which it will be empty again. It knows only what this process takes;
 * `createSharedRateLimiter` is for several.
 */
export function createRateLimiter(nowMs: () => number): LocalRateLimiter {
  const emptyAtMs = new Map<string, number>();
  let nextSweepMs = nowMs() + SWEEP_EVERY_MS;

  const look = (
    bucket: string,
    ratePerSecond: number,
    taken: number,
    { mayOwe } = { mayOwe: false },
  ): RateLimitResult => {
    const now = nowMs();
    if (now >= nextSweepMs) {
      nextSweepMs = now + SWEEP_EVERY_MS;
      for (const [key, emptyAt] of emptyAtMs) if (emptyAt <= now) emptyAtMs.delete(key);
    }
    const intervalMs = 1000 / ratePerSecond;
    const burstMs = BURST_SECONDS * 1000;
    const current = Math.max(emptyAtMs.get(bucket) ?? 0, now);
    const after = current + taken * intervalMs;
    // Rounding errors must not cost a caller its last request, however long the process has been up.
    const slackMs = intervalMs * SLACK;
    const judged = mayOwe ? current : after;
    const allowed = judged - now <= burstMs + slackMs;
    if (allowed && taken > 0) emptyAtMs.set(bucket, after);
    const level = (allowed ? after : current) - now;
    return {
      allowed,
      remaining: Math.max(0, Math.floor((burstMs - level + slackMs) / intervalMs)),
      resetSeconds: Math.max(0, Math.ceil((level - slackMs) / 1000)),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((judged - now - burstMs - slackMs) / 1000)),
    };
  };

  return {
    take: (bucket, ratePerSecond) => look(bucket, ratePerSecond, 1),
    peek: (bucket, ratePerSecond) => look(bucket, ratePerSecond, 0),
    overdraw: (bucket, ratePerSecond, count) => look(bucket, ratePerSecond, count, { mayOwe: true }),
    levelMs: (bucket) => Math.max(0, (emptyAtMs.get(bucket) ?? 0) - nowMs()),
    setLevelMs: (bucket, levelMs) => void emptyAtMs.set(bucket, nowMs() + levelMs),
  };
}

/** The result for a key that has just used its whole burst. */
export const USED_UP: RateLimitResult = {
  allowed: false,
  remaining: 0,
  resetSeconds: BURST_SECONDS,
  retryAfterSeconds: 1,
};

/** `RateLimit-Policy` and `RateLimit` of the IETF draft: quota, window, remaining, seconds until fully restored. */
export function rateLimitHeaders(
  limitClass: RateLimitClass,
  ratePerSecond: number,
  result: RateLimitResult,
): { policy: string; state: string } {
  return {
    policy: `"${limitClass}";q=${ratePerSecond * BURST_SECONDS};w=${BURST_SECONDS}`,
    state: `"${limitClass}";r=${result.remaining};t=${result.resetSeconds}`,
  };
}

export const rateLimited = (retryAfterSeconds: number): Problem =>
  new Problem("rate_limited", `Rate limit exceeded. Try again in ${retryAfterSeconds} s.`, {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
