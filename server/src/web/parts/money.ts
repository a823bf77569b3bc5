import { formatAmount, parseAmount } from "../../lib/money.ts";
import { type Html, html } from "../template/html.ts";

/** `1,234.50 USD`, in figures of equal width. In a table its column is `numeric`, so that amounts line up. */
export const money = (amountMinor: bigint, currency: string): Html =>
  html`<span class="money">${moneyText(amountMinor, currency)}</span>`;

/** The same as text, for sentences, titles and attributes. */
export const moneyText = (amountMinor: bigint, currency: string): string =>
  `${groupDigits(formatAmount(amountMinor, currency))} ${currency}`;

/** What a product is worth: `10.00 USD`, or `325 UC` where that is not money. */
export function faceValueText({ amount, currency, unit, isMoney }: FaceValue): string {
  if (!isMoney) return `${amount} ${unit}`;
  try {
    return moneyText(parseAmount(amount, currency), currency);
  } catch {
    return `${amount} ${currency}`;
  }
}

type FaceValue = { amount: string; currency: string; unit: string; isMoney: boolean };

/** A count with its thousands apart: `5,166`. */
export const countText = (count: number | bigint): string => groupDigits(String(count));

const groupDigits = (text: string): string => {
  const [whole = "", decimals] = text.split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return decimals === undefined ? grouped : `${grouped}.${decimals}`;
};
