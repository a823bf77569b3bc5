/** An exact number: a quotient of two integers. The denominator is positive. It is not reduced unless someone asks. */
export type Fraction = { readonly num: bigint; readonly den: bigint };

export const fraction = (num: bigint, den = 1n): Fraction => {
  if (den === 0n) throw new RangeError("division by zero");
  return den < 0n ? { num: -num, den: -den } : { num, den };
};

export const times = (a: Fraction, b: Fraction): Fraction => ({ num: a.num * b.num, den: a.den * b.den });
export const over = (a: Fraction, b: Fraction): Fraction => fraction(a.num * b.den, a.den * b.num);
export const plus = (a: Fraction, b: Fraction): Fraction => ({
  num: a.num * b.den + b.num * a.den,
  den: a.den * b.den,
});

/** Negative, zero or positive, as for sorting. */
export const compare = (a: Fraction, b: Fraction): number => {
  const difference = a.num * b.den - b.num * a.den;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

/** The smallest integer that is not below the number. */
export const roundUp = ({ num, den }: Fraction): bigint =>
  num > 0n ? (num + den - 1n) / den : -(-num / den);

/** The nearest integer; halves go away from zero. */
export const roundHalfUp = ({ num, den }: Fraction): bigint => {
  const twice = (num < 0n ? -num : num) * 2n + den;
  const rounded = twice / (den * 2n);
  return num < 0n ? -rounded : rounded;
};

const DECIMAL = /^(\d{1,18})(?:\.(\d{1,18}))?$/;

/** "0.9215" → 9215/10000. Signs, exponents and separators are refused. */
export function parseDecimal(text: string): Fraction | undefined {
  const [, whole, decimals = ""] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return { num: BigInt(whole + decimals), den: 10n ** BigInt(decimals.length) };
}

/** The number with at most so many decimals, without trailing zeros. The last one is rounded half up. */
export function formatDecimal(value: Fraction, decimalsMax: number): string {
  const scaled = roundHalfUp({ num: value.num * 10n ** BigInt(decimalsMax), den: value.den });
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(decimalsMax + 1, "0");
  const whole = digits.slice(0, digits.length - decimalsMax);
  const decimals = digits.slice(digits.length - decimalsMax).replace(/0+$/, "");
  return `${scaled < 0n ? "-" : ""}${whole}${decimals === "" ? "" : `.${decimals}`}`;
}

/** 1 + 4.5 % as 450 basis points. */
const BASIS_POINTS = 10_000n;
export const onePlus = (basisPoints: number): Fraction => ({
  num: BASIS_POINTS + BigInt(basisPoints),
  den: BASIS_POINTS,
});
