import { isCurrency, minorUnitExponent } from "./currencies.ts";

/** The largest amount the API can return. JSON integers are exact up to here (CONTRACT 1). */
export const AMOUNT_MAX_MINOR = BigInt(Number.MAX_SAFE_INTEGER);

/** Money as it appears in product responses. */
export type Money = { amount: number; currency: string; minorUnitExponent: number };

export const toMoney = (amountMinor: bigint, currency: string): Money => ({
  amount: toSafeInteger(amountMinor),
  currency,
  minorUnitExponent: minorUnitExponent(currency),
});

/** Converts a bigint amount to the JSON integer that the API sends, or throws if it would lose digits. */
export function toSafeInteger(amountMinor: bigint): number {
  if (amountMinor > AMOUNT_MAX_MINOR || amountMinor < -AMOUNT_MAX_MINOR) {
    throw new RangeError("amount exceeds the exact integer range of JSON");
  }
  return Number(amountMinor);
}

/** "9.5" in USD → 950n. Too many decimals, signs, exponents and separators are refused, never rounded. */
export function parseAmount(text: string, currency: string): bigint {
  const match = /^(\d{1,16})(?:\.(\d+))?$/.exec(text);
  if (!match) throw new RangeError(`"${text}" is not an amount; write it like ${exampleAmount(currency)}`);
  const [, whole = "0", decimals = ""] = match;
  const exponent = minorUnitExponent(currency);
  if (decimals.length > exponent) {
    throw new RangeError(`"${text}" has too many decimals: ${currency} has ${exponent}`);
  }
  const amountMinor = BigInt(whole + decimals.padEnd(exponent, "0"));
  if (amountMinor > AMOUNT_MAX_MINOR) throw new RangeError(`"${text}" is larger than the maximum amount`);
  return amountMinor;
}

const GROUPED = /^\d{1,3}(,\d{3})+(\.\d+)?$/;

/**
 * "1,500.00" → "1500.00", because pages print it so and people paste it. A comma stands only before groups of three digits: "12,5" stays
 * as it is. In a currency of three decimals "1,500" could be one and a half, so there it stays too.
 */
export const plainAmount = (text: string, currency?: string): string =>
  GROUPED.test(text) && (currency === undefined || minorUnitExponent(currency) !== 3)
    ? text.replaceAll(",", "")
    : text;

/** An amount that a person typed. Files and suppliers are read by `parseAmount`. */
export const parseTypedAmount = (text: string, currency: string): bigint =>
  parseAmount(plainAmount(text, currency), currency);

/** 950n in USD → "9.50". */
export function formatAmount(amountMinor: bigint, currency: string): string {
  const exponent = minorUnitExponent(currency);
  const sign = amountMinor < 0n ? "-" : "";
  const digits = (amountMinor < 0n ? -amountMinor : amountMinor).toString().padStart(exponent + 1, "0");
  return exponent === 0 ? sign + digits : `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

const exampleAmount = (currency: string): string =>
  formatAmount(10n ** BigInt(minorUnitExponent(currency)) * 25n, currency);

/** Amounts by currency, and one for all currencies that are not named. */
export type AmountLimits = {
  readonly named: ReadonlyMap<string, bigint>;
  /** Major units as decimal text. */
  readonly others: string | undefined;
};

/**
 * "1000" → 1,000.00 USD, 1,000 JPY and so on. "1000, JPY:150000" has its own amount for yen. "USD:1000.00" alone leaves all
 * other currencies with a limit of zero: a currency that nobody thought of is the strict case.
 */
export function parseAmountLimits(text: string): AmountLimits {
  const named = new Map<string, bigint>();
  let others: string | undefined;
  for (const part of text.split(",").map((one) => one.trim())) {
    const [, currency, amount = ""] = /^(?:([A-Z]{3}):)?(\d{1,13}(?:\.\d{1,4})?)$/.exec(part) ?? [];
    if (amount === "")
      throw new RangeError(`has "${part}", which is not an amount such as 1000 or USD:1000.00`);
    if (currency === undefined) {
      if (others !== undefined) throw new RangeError("has two amounts without a currency");
      others = amount;
    } else {
      if (!isCurrency(currency)) throw new RangeError(`has "${currency}", which is not an ISO-4217 currency`);
      if (named.has(currency)) throw new RangeError(`has ${currency} twice`);
      named.set(currency, parseAmount(amount, currency));
    }
  }
  return { named, others };
}

/** The limit in minor units. Decimals that the currency does not have change nothing: no amount lies between. */
export function limitIn({ named, others }: AmountLimits, currency: string): bigint {
  const own = named.get(currency);
  if (own !== undefined) return own;
  if (others === undefined) return 0n;
  const [whole = "0", decimals = ""] = others.split(".");
  const exponent = minorUnitExponent(currency);
  const limit = BigInt(whole + decimals.slice(0, exponent).padEnd(exponent, "0"));
  return limit > AMOUNT_MAX_MINOR ? AMOUNT_MAX_MINOR : limit;
}
