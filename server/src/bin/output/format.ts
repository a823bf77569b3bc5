import { formatAmount } from "../../lib/money.ts";

/** 123450n in USD → "1,234.50". */
export const showAmount = (amountMinor: bigint | number, currency: string): string =>
  group(formatAmount(BigInt(amountMinor), currency));

/** 123450n in USD → "1,234.50 USD". */
export const showMoney = (amountMinor: bigint | number, currency: string): string =>
  `${showAmount(amountMinor, currency)} ${currency}`;

/** 1234567 → "1,234,567". */
export const showCount = (count: number | bigint): string => group(count.toString());

const group = (digits: string): string =>
  digits.replace(/^-?\d+/, (whole) => whole.replaceAll(THOUSANDS, ","));
const THOUSANDS = /\B(?=(\d{3})+$)/g;

/** "2030-01-31 12:00", in UTC; the seconds are in --json. */
export const showTime = (time: Date | string): string =>
  (typeof time === "string" ? time : time.toISOString()).slice(0, 16).replace("T", " ");

/** 1 code, 2 codes. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${showCount(count)} ${count === 1 ? one : many}`;
