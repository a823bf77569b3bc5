/** Money as the API sends it, or as these functions return it. Amounts are integers in minor units. */
export type MoneyInput = {
    amount: number | string | bigint;
    currency: string;
    /** Orders omit it; then the exponent of ISO-4217 applies. */
    minorUnitExponent?: number | string | undefined;
};
export type MoneySum = {
    amount: bigint;
    currency: string;
    minorUnitExponent: number;
};
/** `{amount: 1250, currency: "USD"}` → "12.50": a plain decimal for a database or a form, not for a locale. */
export declare function formatMoney(money: MoneyInput): string;
/** "12.5" in "USD", or with 2 decimals → 1250n. Too many decimals are an error: nothing is ever rounded. */
export declare function toMinorUnits(text: string, currencyOrExponent: string | number): bigint;
export declare function addMoney(first: MoneyInput, ...others: readonly MoneyInput[]): MoneySum;
/** `times` is an integer, such as a number of units. */
export declare function multiplyMoney(money: MoneyInput, times: number | bigint): MoneySum;
/** Negative when the first is less, 0 when they are equal, positive when it is more: usable with `sort`. */
export declare function compareMoney(first: MoneyInput, second: MoneyInput): -1 | 0 | 1;
/** The number of decimals of a currency in ISO-4217. */
export declare function minorUnitExponent(currency: string): number;
