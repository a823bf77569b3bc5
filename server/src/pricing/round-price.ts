import { type Fraction, parseDecimal, roundUp } from "../fx/fraction.ts";
import { minorUnitExponent } from "../lib/currencies.ts";

const ROUNDING = /^(?:x\.\d{2}|\d{1,6}(?:\.\d{1,4})?)$/;

/** Checks `--round`: an increment such as 0.05, or an ending such as x.99. */
export function parseRounding(text: string): string {
  const value = text.startsWith("x") ? undefined : parseDecimal(text);
  if (!ROUNDING.test(text) || value?.num === 0n)
    throw new RangeError(
      `"${text}" is not a rounding; write an increment such as 0.05, or an ending such as x.99`,
    );
  return text;
}

/**
 * Rounds an exact number of minor units up: to the next multiple of the increment, or to the next price with the ending. What a
 * currency cannot express (.05 in yen) leaves its smallest unit.
 */
export function roundPrice(minor: Fraction, rounding: string, currency: string): bigint {
  const whole = roundUp(minor);
  const major = 10n ** BigInt(minorUnitExponent(currency));
  if (rounding === "") return whole;
  if (rounding.startsWith("x.")) {
    const ending = BigInt(rounding.slice(2)) * major;
    // Cents do not exist in the currency.
    if (ending % 100n !== 0n) return whole;
    return nextWithEnding(whole, ending / 100n, major);
  }
  const increment = parseDecimal(rounding);
  if (increment === undefined) throw new Error("a stored rounding is not a decimal");
  const step = increment.num * major;
  if (step % increment.den !== 0n) return whole;
  const stepMinor = step / increment.den;
  return stepMinor <= 1n ? whole : ((whole + stepMinor - 1n) / stepMinor) * stepMinor;
}

/** The smallest amount of at least this much that is the ending more than a whole number of major units. */
function nextWithEnding(whole: bigint, endingMinor: bigint, major: bigint): bigint {
  const majors = whole / major;
  const candidate = majors * major + endingMinor;
  return candidate >= whole ? candidate : candidate + major;
}
