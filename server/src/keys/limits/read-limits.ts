import { formatAmount, parseTypedAmount } from "../../lib/money.ts";
import type { KeyLimitColumns } from "../queries.ts";

/** New limits, as people write them. An amount is decimal text in the reseller's currency, null for no limit; absent is unchanged. */
export type LimitChanges = {
  maxOrder?: string | null | undefined;
  maxDay?: string | null | undefined;
  /** How many times its usual hour a key may spend in an hour. */
  velocityTimes?: number | null | undefined;
};

export type Limits = Pick<KeyLimitColumns, "maxOrderMinor" | "maxDayMinor" | "velocityTimes">;

export const NO_LIMITS: Limits = { maxOrderMinor: null, maxDayMinor: null, velocityTimes: null };

export const VELOCITY_MIN = 2;
export const VELOCITY_MAX = 1_000;

/** The limits after these changes. Throws a RangeError for what is not a limit. */
export function readLimits(before: Limits, changes: LimitChanges, currency: string): Limits {
  const { maxOrder, maxDay, velocityTimes } = changes;
  checkTimes(velocityTimes);
  return {
    maxOrderMinor: readAmount("an order", maxOrder, before.maxOrderMinor, currency),
    maxDayMinor: readAmount("a day", maxDay, before.maxDayMinor, currency),
    velocityTimes: velocityTimes === undefined ? before.velocityTimes : velocityTimes,
  };
}

export const isChanged = (changes: LimitChanges | undefined): boolean =>
  changes !== undefined && Object.values(changes).some((change) => change !== undefined);

/** Whether its spending has to be counted. The limit of an order needs no count. */
export const needsCount = ({ maxDayMinor, velocityTimes }: Limits): boolean =>
  maxDayMinor !== null || velocityTimes !== null;

/** What people read, such as "500.00 USD". */
export const limitText = (minor: bigint | null, currency: string): string =>
  minor === null ? "none" : `${formatAmount(minor, currency)} ${currency}`;

function readAmount(
  what: string,
  text: string | null | undefined,
  before: bigint | null,
  currency: string,
): bigint | null {
  if (text === undefined) return before;
  if (text === null) return null;
  const amount = parsed(text, currency);
  if (amount !== undefined && amount > 0n) return amount;
  throw new RangeError(
    `the limit of ${what} must be an amount in ${currency} above zero, such as ${formatAmount(50_000n, currency)}`,
  );
}

function parsed(text: string, currency: string): bigint | undefined {
  try {
    return parseTypedAmount(text, currency);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function checkTimes(times: number | null | undefined): void {
  if (times === undefined || times === null) return;
  if (!Number.isInteger(times) || times < VELOCITY_MIN || times > VELOCITY_MAX)
    throw new RangeError(
      `the velocity limit must be a whole number from ${VELOCITY_MIN} to ${VELOCITY_MAX} times the usual hour`,
    );
}
