import { isCurrency, minorUnitExponent } from "../../lib/currencies.ts";
import { AMOUNT_MAX_MINOR } from "../../lib/money.ts";
import type { SupplierPrice, ToldPrice } from "../supplier.ts";

type Decimal = { digits: bigint; scale: number };

const DECIMAL = /^(-?)(\d{1,20})(?:\.(\d{1,20}))?(?:[eE]([+-]?\d{1,2}))?$/;

/** The text of a JSON number, exactly. */
function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole, fraction = "", exponent = "0"] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/**
 * The sum of amounts in one currency, rounded up to its minor unit: suppliers charge fractions of a cent, and we never book less
 * than was charged. Undefined when one of them is not a number, the sum is negative, or the currency is unknown.
 */
export function sumUp(
  texts: readonly (string | undefined)[],
  currency: string | undefined,
): SupplierPrice | undefined {
  if (currency === undefined || !isCurrency(currency)) return undefined;
  const decimals = texts.map((text) => (text === undefined ? undefined : parseDecimal(text)));
  let sum: Decimal = { digits: 0n, scale: minorUnitExponent(currency) };
  for (const decimal of decimals) {
    if (!decimal) return undefined;
    const scale = Math.max(sum.scale, decimal.scale);
    sum = { digits: atScale(sum, scale) + atScale(decimal, scale), scale };
  }
  const step = 10n ** BigInt(sum.scale - minorUnitExponent(currency));
  const amountMinor = (sum.digits + step - 1n) / step;
  return sum.digits < 0n || amountMinor > AMOUNT_MAX_MINOR ? undefined : { amountMinor, currency };
}

const atScale = ({ digits, scale }: Decimal, wanted: number): bigint =>
  digits * 10n ** BigInt(wanted - scale);

/** One amount less another, exactly. */
export function minus(amount: string, other: string): string | undefined {
  const [a, b] = [parseDecimal(amount), parseDecimal(other)];
  const scale = Math.max(a?.scale ?? 0, b?.scale ?? 0);
  return a && b && decimalText({ digits: atScale(a, scale) - atScale(b, scale), scale });
}

/** So many percent of an amount, exactly. */
export function percentOf(amount: string, percent: string): string | undefined {
  const [whole, part] = [parseDecimal(amount), parseDecimal(percent)];
  return (
    whole && part && decimalText({ digits: whole.digits * part.digits, scale: whole.scale + part.scale + 2 })
  );
}

/** What a supplier charged. An amount without its currency, or the reverse, is unreadable. */
export const readCharge = (texts: readonly (string | undefined)[], currency: string | undefined): ToldPrice =>
  sumUp(texts, currency) ?? "unreadable";

/** Whether an answer names another number than we asked for. One that names none, or leaves it empty, names no other. */
export const isOtherNumber = (told: string | undefined, asked: string | undefined): boolean =>
  told !== undefined && asked !== undefined && plainDecimal(told) !== plainDecimal(asked);

/** "10.0", "10.00" and "10" are the same value: `10`. Undefined for what is not a positive decimal. */
export function plainDecimal(text: string): string | undefined {
  const decimal = parseDecimal(text);
  return !decimal || decimal.digits <= 0n ? undefined : decimalText(decimal);
}

/** Without trailing zeros. */
function decimalText({ digits, scale }: Decimal): string {
  const padded = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const whole = `${digits < 0n ? "-" : ""}${padded.slice(0, padded.length - scale)}`;
  const fraction = padded.slice(padded.length - scale).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
