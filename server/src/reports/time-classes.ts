/**
 * Upper bounds of the classes in which times are counted, in milliseconds: ten for each power of ten. They are fixed, so that
 * counts of any hours, products and resellers can be added. The SQL function `report_bucket` has the same bounds.
 */
export const TIME_BOUNDS_MS: readonly number[] = [1, 2, 3, 4, 5, 6, 7]
  .flatMap((power) => [10, 13, 16, 20, 25, 32, 40, 50, 63, 80].map((step) => step * 10 ** (power - 1)))
  .concat(100_000_000);

/** How often each class occurs. Class `n` is what takes longer than bound `n - 1` and at most bound `n`. */
export type TimeCounts = readonly { bucket: number; count: bigint }[];

/**
 * The time within which this percentage was done: the upper bound of the class it falls into, so it is never too short.
 * Undefined without counts; infinite in the last class, which has no bound.
 */
export function percentileMs(counts: TimeCounts, percent: number): number | undefined {
  const ordered = [...counts].sort((a, b) => a.bucket - b.bucket);
  const total = ordered.reduce((sum, { count }) => sum + count, 0n);
  if (total === 0n) return undefined;
  let seen = 0n;
  for (const { bucket, count } of ordered) {
    seen += count;
    if (seen * 100n >= total * BigInt(percent)) return TIME_BOUNDS_MS[bucket] ?? Number.POSITIVE_INFINITY;
  }
  return undefined;
}
