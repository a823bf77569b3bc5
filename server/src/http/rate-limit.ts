import { Problem } from "../lib/problem.ts";

/** Placements are counted apart from everything else (CONTRACT 1). */
export type RateLimitClass = "orders" | "reads";

export type RateLimitResult = {
  allowed: boolean;
  remaining: number;
  resetSeconds: number;
  retryAfterSeconds: number;
};

export type RateLimiter = {
  /** Takes one request from the bucket; a refused one takes nothing. */
  take(bucket: string, ratePerSecond: number): RateLimitResult;
  /** What `take` would find, without taking. */
  peek(bucket: string, ratePerSecond: number): RateLimitResult;
};

/** A key may use two seconds' worth at once: 100 requests/s come with a burst of 200. */
export const BURST_SECONDS = 2;
const SWEEP_EVERY_MS = 10_000;
/** Of the time between two requests. */
const SLACK = 1e-3;

/**
 * GCRA: one number for each bucket, the time at which it will be empty again. Kept in this process: with several API
 * processes each grants the whole rate.
 */
export function createRateLimiter(nowMs: () => number): RateLimiter {
  const emptyAtMs = new Map<string, number>();
  let nextSweepMs = nowMs() + SWEEP_EVERY_MS;

  const look = (bucket: string, ratePerSecond: number, taken: number): RateLimitResult => {
    const now = nowMs();
    if (now >= nextSweepMs) {
      nextSweepMs = now + SWEEP_EVERY_MS;
      for (const [key, emptyAt] of emptyAtMs) if (emptyAt <= now) emptyAtMs.delete(key);
    }
    const intervalMs = 1000 / ratePerSecond;
    const burstMs = BURST_SECONDS * 1000;
    const current = Math.max(emptyAtMs.get(bucket) ?? 0, now);
    const after = current + taken * intervalMs;
    // Sums of fractions must not cost a caller its last request, however long the process has been up.
    const slackMs = intervalMs * SLACK;
    const allowed = after - now <= burstMs + slackMs;
    if (allowed && taken > 0) emptyAtMs.set(bucket, after);
    const level = (allowed ? after : current) - now;
    return {
      allowed,
      remaining: Math.max(0, Math.floor((burstMs - level + slackMs) / intervalMs)),
      resetSeconds: Math.max(0, Math.ceil((level - slackMs) / 1000)),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((after - now - burstMs - slackMs) / 1000)),
    };
  };

  return {
    take: (bucket, ratePerSecond) => look(bucket, ratePerSecond, 1),
    peek: (bucket, ratePerSecond) => look(bucket, ratePerSecond, 0),
  };
}

/** What a key finds that has just used up all of its burst. */
export const USED_UP: RateLimitResult = {
  allowed: false,
  remaining: 0,
  resetSeconds: BURST_SECONDS,
  retryAfterSeconds: 1,
};

/** `RateLimit-Policy` and `RateLimit` of the IETF draft: quota, window, what remains, seconds until all of it is back. */
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
  new Problem(
    "rate_limited",
    `This key has used up its requests for now. Try again in ${retryAfterSeconds} s.`,
    {
      headers: { "retry-after": String(retryAfterSeconds) },
    },
  );
