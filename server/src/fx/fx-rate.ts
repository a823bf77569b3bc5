import { isCurrency } from "../lib/currencies.ts";
import { type Fraction, parseDecimal } from "./fraction.ts";

/** Where a rate comes from, strongest first (CONTRACT 8). */
export const RATE_SOURCES = ["pin", "supplier", "reference"] as const;
export type RateSource = (typeof RATE_SOURCES)[number];

/** One unit of `base` is worth `rate` units of `quote`. */
export type FxRate = {
  id: bigint;
  base: string;
  quote: string;
  /** Exact decimal text, such as 0.9215. */
  rate: string;
  source: RateSource;
  /** The supplier whose feed it comes from. */
  supplierId: string | null;
  /** When it was true: set, fed or published. */
  at: Date;
  /** The end of a pin. Null means that it ages like any other rate. */
  until: Date | null;
};

/** The currency that all reference rates are quoted against. */
export const PIVOT = "EUR";

/** "USD/EUR" → USD and EUR. */
export function parsePair(text: string): { base: string; quote: string } {
  const [, base = "", quote = ""] = /^([A-Z]{3})\/([A-Z]{3})$/.exec(text.trim().toUpperCase()) ?? [];
  if (!isCurrency(base) || !isCurrency(quote))
    throw new RangeError(`"${text}" is not a pair of ISO 4217 currencies such as USD/EUR`);
  if (base === quote) throw new RangeError("a pair has two different currencies");
  return { base, quote };
}

export const RATE_DECIMALS_MAX = 12;
export const RATE_DIGITS_MAX = 12;

/** An exact positive decimal. It is stored as it is written. */
export function parseRate(text: string): string {
  const [whole = "", decimals = ""] = text.split(".");
  const value = parseDecimal(text);
  if (value === undefined || whole.length > RATE_DIGITS_MAX || decimals.length > RATE_DECIMALS_MAX)
    throw new RangeError(
      `"${text}" is not a rate; write a decimal such as 0.9215, with at most ${RATE_DECIMALS_MAX} decimals`,
    );
  if (value.num === 0n) throw new RangeError("a rate must be more than zero");
  return text;
}

export const fractionOf = ({ rate }: Pick<FxRate, "rate">): Fraction => {
  const value = parseDecimal(rate);
  if (value === undefined || value.num === 0n) throw new Error("a stored rate is not a positive decimal");
  return value;
};
