import type { ScripError } from "@scrip/sdk";
import { isCurrency } from "../lib/currencies.ts";
import type { PriceLimit, ToldPrice } from "./supplier.ts";

/** How a price compares with what was expected. */
export type PriceVerdict =
  | "as_expected"
  /** A different price that the operator accepts. */
  | "differs"
  /** More than the operator accepts, or in another currency, or no price at all. */
  | "beyond_limit";

export function judgePrice(price: ToldPrice, limit: PriceLimit): PriceVerdict {
  if (price === "unreadable" || price.currency !== limit.currency) return "beyond_limit";
  if (price.amountMinor > limit.maxMinor) return "beyond_limit";
  return price.amountMinor === limit.expectedMinor ? "as_expected" : "differs";
}

/** The total in a `price_changed` error, if the operator accepts it. */
export function acceptableTotal(error: ScripError, limit: PriceLimit): bigint | undefined {
  if (error.status !== 409 || error.code !== "price_changed") return undefined;
  const price = readPrice(error.members.currentTotal);
  if (price === "unreadable") return undefined;
  return judgePrice(price, limit) === "differs" ? price.amountMinor : undefined;
}

/** Reads the total of an order, or the `currentTotal` of a refusal. */
export function readPrice(total: unknown): ToldPrice {
  if (typeof total !== "object" || total === null) return "unreadable";
  const { amount, currency } = total as Record<string, unknown>;
  if (!Number.isSafeInteger(amount) || (amount as number) < 0) return "unreadable";
  if (typeof currency !== "string" || !isCurrency(currency)) return "unreadable";
  return { amountMinor: BigInt(amount as number), currency };
}
