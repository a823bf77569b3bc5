/** Money as the API sends it, or as these functions return it. Amounts are integers in minor units. */
export type MoneyInput = {
  amount: number | string | bigint;
  currency: string;
  /** Orders omit it; then the exponent of ISO-4217 applies. */
  minorUnitExponent?: number | string | undefined;
};

export type MoneySum = { amount: bigint; currency: string; minorUnitExponent: number };

/** Currencies whose number of decimals is not two. */
const EXPONENTS: Readonly<Record<number, string>> = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW",
};
const USUAL_EXPONENT = 2;
const EXPONENT_MAX = 20;
const CURRENCY = /^[A-Z]{3}$/;
const WHOLE = /^-?\d{1,40}$/;
const DECIMAL = /^(-?)(\d{1,40})(?:\.(\d{1,20}))?$/;

/** `{amount: 1250, currency: "USD"}` → "12.50": a plain decimal for a database or a form, not for a locale. */
export function formatMoney(money: MoneyInput): string {
  const { amount, minorUnitExponent: exponent } = toSum(money);
  const sign = amount < 0n ? "-" : "";
  const digits = String(amount < 0n ? -amount : amount).padStart(exponent + 1, "0");
  if (exponent === 0) return sign + digits;
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/** "12.5" in "USD", or with 2 decimals → 1250n. Too many decimals are an error: nothing is ever rounded. */
export function toMinorUnits(text: string, currencyOrExponent: string | number): bigint {
  const exponent =
    typeof currencyOrExponent === "string"
      ? minorUnitExponent(currencyOrExponent)
      : toExponent(currencyOrExponent);
  const match = DECIMAL.exec(text);
  if (!match) throw new RangeError('an amount must look like "12.50"');
  const [, sign = "", whole = "", decimals = ""] = match;
  if (decimals.length > exponent) throw new RangeError(`the amount has more than ${exponent} decimals`);
  return BigInt(sign + whole + decimals.padEnd(exponent, "0"));
}

export function addMoney(first: MoneyInput, ...others: readonly MoneyInput[]): MoneySum {
  const sum = toSum(first);
  const amounts = others.map((other) => sameMoney(sum, toSum(other)).amount);
  return { ...sum, amount: amounts.reduce((total, amount) => total + amount, sum.amount) };
}

/** `times` is an integer, such as a number of units. */
export function multiplyMoney(money: MoneyInput, times: number | bigint): MoneySum {
  const sum = toSum(money);
  return { ...sum, amount: sum.amount * toWhole(times, "times") };
}

/** Negative when the first is less, 0 when they are equal, positive when it is more: usable with `sort`. */
export function compareMoney(first: MoneyInput, second: MoneyInput): -1 | 0 | 1 {
  const left = toSum(first);
  const right = sameMoney(left, toSum(second));
  if (left.amount === right.amount) return 0;
  return left.amount < right.amount ? -1 : 1;
}

/** The number of decimals of a currency in ISO-4217. */
export function minorUnitExponent(currency: string): number {
  if (!CURRENCY.test(currency)) throw new RangeError("a currency must be three capital letters");
  const unusual = Object.entries(EXPONENTS).find(([, codes]) => codes.split(" ").includes(currency));
  return unusual ? Number(unusual[0]) : USUAL_EXPONENT;
}

function toSum({ amount, currency, minorUnitExponent: exponent }: MoneyInput): MoneySum {
  const usual = minorUnitExponent(currency);
  return {
    amount: toWhole(amount, "amount"),
    currency,
    minorUnitExponent: exponent === undefined ? usual : toExponent(exponent),
  };
}

/** A number beyond the safe integers has already lost digits. */
function toWhole(value: number | string | bigint, name: string): bigint {
  if (typeof value === "bigint") return value;
  const isWhole = typeof value === "string" ? WHOLE.test(value) : Number.isSafeInteger(value);
  if (!isWhole) throw new RangeError(`${name} must be a safe integer`);
  return BigInt(value);
}

function toExponent(value: number | string): number {
  const exponent = toWhole(value, "minorUnitExponent");
  if (exponent < 0n || exponent > EXPONENT_MAX) {
    throw new RangeError(`minorUnitExponent must be an integer from 0 to ${EXPONENT_MAX}`);
  }
  return Number(exponent);
}

function sameMoney(left: MoneySum, right: MoneySum): MoneySum {
  if (left.currency !== right.currency) {
    throw new RangeError(`${left.currency} and ${right.currency} cannot be combined`);
  }
  if (left.minorUnitExponent !== right.minorUnitExponent) {
    throw new RangeError(`the two amounts have different numbers of decimals for ${left.currency}`);
  }
  return right;
}
