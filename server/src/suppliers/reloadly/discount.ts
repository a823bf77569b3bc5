import type { Json } from "../../lib/strict-json.ts";
import { minus } from "../calls/decimal-amount.ts";
import { textAt } from "../calls/read-answer.ts";

/**
 * Reloadly's products have a `discountPercentage` and its transactions a `discount`. Its documents do not say whether that is credited to
 * the wallet that pays, so the operator says it: `discountCredited` in the config, false unless they know better. In the published
 * example a purchase of 2,850.00 and 285.00 with a fee of 4.45 is charged 3,139.45, and 25.65 is discount. Sold at 3,150.00, the margin is
 *
 * - not credited: 3,150.00 − 3,139.45 = 10.55, and every price by cost is 25.65 too high if that is wrong;
 * - credited: 3,150.00 − (3,139.45 − 25.65) = 36.20, and every such price is 25.65 too low if that is wrong.
 *
 * What is credited lowers the cost of a route, the charge of a purchase and the entries of the statement alike, so they agree with each other
 * in both cases, and with the balance in the one that is true.
 */
export const lowered = (
  amount: string | undefined,
  discount: string | undefined,
  isCredited: boolean,
): string | undefined =>
  // What is no plain positive number lowers nothing.
  isCredited && amount !== undefined && discount !== undefined && /^\d/.test(discount)
    ? (minus(amount, discount) ?? amount)
    : amount;

/** What a transaction charged. */
export const amountOf = (transaction: Json | undefined, isCredited: boolean): string | undefined =>
  lowered(textAt(transaction, "amount"), textAt(transaction, "discount"), isCredited);
