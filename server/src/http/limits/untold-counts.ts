import { BURST_SECONDS } from "../rate-limit.ts";

/** What this process has taken from buckets and not told the other processes. */
export type UntoldCounts = {
  /** Whether so many more may stay untold. */
  hasRoom(bucket: string, ratePerSecond: number, count: number): boolean;
  add(bucket: string, ratePerSecond: number, count: number): void;
  of(bucket: string, ratePerSecond: number): number;
  /** Forgets the bucket and returns what was untold. */
  clear(bucket: string, ratePerSecond: number): number;
};

/**
 * The part of an allowance that all processes together can take without telling. So a key gets at most this much more than
 * its limit, and a key that stays below it costs nothing.
 */
export const UNTOLD_SHARE = 0.1;
const SWEEP_EVERY_MS = 10_000;

type Count = { count: number; atMs: number; ratePerSecond: number };

/** Time forgives what was not told, at the same share of the rate. */
export function createUntoldCounts(nowMs: () => number, processes: () => number): UntoldCounts {
  const counts = new Map<string, Count>();
  let nextSweepMs = nowMs() + SWEEP_EVERY_MS;
  const shareOf = (ratePerSecond: number): number => (ratePerSecond * UNTOLD_SHARE) / processes();
  const countOf = (bucket: string, ratePerSecond: number): number => {
    const known = counts.get(bucket);
    if (!known) return 0;
    return Math.max(0, known.count - ((nowMs() - known.atMs) / 1_000) * shareOf(ratePerSecond));
  };
  const sweep = (): void => {
    if (nowMs() < nextSweepMs) return;
    nextSweepMs = nowMs() + SWEEP_EVERY_MS;
    for (const [bucket, { ratePerSecond }] of counts)
      if (countOf(bucket, ratePerSecond) === 0) counts.delete(bucket);
  };
  return {
    hasRoom: (bucket, ratePerSecond, count) =>
      countOf(bucket, ratePerSecond) + count <= shareOf(ratePerSecond) * BURST_SECONDS,
    add(bucket, ratePerSecond, count) {
      sweep();
      counts.set(bucket, {
        count: countOf(bucket, ratePerSecond) + count,
        atMs: nowMs(),
        ratePerSecond,
      });
    },
    of: countOf,
    clear(bucket, ratePerSecond) {
      const count = countOf(bucket, ratePerSecond);
      counts.delete(bucket);
      return count;
    },
  };
}
