/** Money as the API sends it, or as the functions here return it. Amounts are whole minor units. */
export type MoneyInput = {
    amount: number | string | bigint;
    currency: string;
    /** Orders leave it out; it is then what ISO-4217 says of the currency. */
    minorUnitExponent?: number | string | undefined;
};
export type MoneySum = {
    amount: bigint;
    currency: string;
    minorUnitExponent: number;
};
/** `{amount: 1250, currency: "USD"}` → "12.50": a plain decimal, for a database or a form and not for a locale. */
export declare function formatMoney(money: MoneyInput): string;
/** "12.5" in "USD", or with 2 decimals → 1250n. More decimals than there are is an error: nothing is ever rounded. */
export declare function toMinorUnits(text: string, currencyOrExponent: string | number): bigint;
export declare function addMoney(first: MoneyInput, ...others: readonly MoneyInput[]): MoneySum;
/** `times` is a whole number, as of units. */
export declare function multiplyMoney(money: MoneyInput, times: number | bigint): MoneySum;
/** Below 0 when the first is less, 0 when they are equal, above 0 when it is more: fit for `sort`. */
export declare function compareMoney(first: MoneyInput, second: MoneyInput): -1 | 0 | 1;
/** The number of decimals of a currency, as ISO-4217 has it. */
export declare function minorUnitExponent(currency: string): number;
