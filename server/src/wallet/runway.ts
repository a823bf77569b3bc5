import { dayOf, type WalletDay } from "./sum-days.ts";

const DAY_MS = 86_400_000;
/** The days whose spending tells the rate: six whole ones and today so far. */
export const RATE_DAYS = 7;
/** Beyond this the number says nothing. */
const RUNWAY_MAX_DAYS = 999;

export type Runway = {
  /** What was spent in the last seven days, less refunds. */
  spentMinor: bigint;
  /** How many whole days the balance lasts at that rate; nothing when nothing was spent. */
  days: number | undefined;
};

/** How long the balance lasts at this week's rate. `days` ends with today. */
export function runwayOf(
  balanceMinor: bigint,
  days: readonly Pick<WalletDay, "spentMinor">[],
  now: Date,
): Runway {
  const week = days.slice(-RATE_DAYS);
  const spentMinor = week.reduce((sum, { spentMinor: one }) => sum + one, 0n);
  if (spentMinor <= 0n) return { spentMinor, days: undefined };
  // Of today only the part that has passed counts, in thousandths of a day: no float touches money.
  const passed = BigInt(Math.floor(((now.getTime() - dayOf(now).getTime()) * 1_000) / DAY_MS));
  const elapsed = BigInt(week.length - 1) * 1_000n + (passed > 0n ? passed : 1n);
  const left = (balanceMinor * elapsed) / (spentMinor * 1_000n);
  return { spentMinor, days: Number(left > BigInt(RUNWAY_MAX_DAYS) ? BigInt(RUNWAY_MAX_DAYS) : left) };
}
