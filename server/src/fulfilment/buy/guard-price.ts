import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { stopOvercharge } from "../../suppliers/overcharges/route-pauses.ts";
import { judgePrice } from "../../suppliers/price-guard.ts";
import type { LookUpOutcome, PriceLimit, SupplierPrice, ToldPrice } from "../../suppliers/supplier.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import type { Attempt } from "../take/order-work.ts";

export type PriceAlert = {
  alert: "purchase_price_refused" | "purchase_price_differs" | "purchase_price_beyond_limit";
  unit: UnitKey;
};

type GuardDeps = { db: Db; clock: Clock; onPriceAlert: (alert: PriceAlert) => void };

/** What an attempt may cost, or undefined if its route had no cost. */
export function limitOf({ costMinor, maxCostMinor, costCurrency }: Attempt): PriceLimit | undefined {
  if (costMinor === null || costCurrency === null) return undefined;
  return { expectedMinor: costMinor, maxMinor: maxCostMinor ?? costMinor, currency: costCurrency };
}

/**
 * Compares the price in a supplier's answer with the expected one, and returns the price to be booked. A unit that was sold
 * above the limit was still bought: it is delivered, never bought again, and booked as charged. But nothing more is bought by its
 * route until the operator enables it, and after large or repeated overcharges nothing more from the supplier.
 */
export async function guardPrice(
  deps: GuardDeps,
  { orderId, lineIndex, unitIndex, productId }: UnitKey & { productId: string },
  attempt: Attempt,
  answer: LookUpOutcome,
): Promise<{ price?: SupplierPrice }> {
  if (!("price" in answer) || answer.price === undefined) return {};
  const { price } = answer;
  const unit = { orderId, lineIndex, unitIndex };
  const alert = alertOf(attempt, answer.kind, price);
  if (alert) deps.onPriceAlert({ alert, unit });
  const limit = limitOf(attempt);
  if (alert === "purchase_price_beyond_limit" && limit) {
    const { supplierId, number } = attempt;
    await stopOvercharge(deps.db, deps.clock, {
      ...{ productId, supplierId, limit, price },
      purchase: { ...unit, attempt: number },
    });
  }
  return price === "unreadable" ? {} : { price };
}

/** A price is reported once, however often the purchase is looked up. */
function alertOf(
  attempt: Attempt,
  kind: LookUpOutcome["kind"],
  price: ToldPrice,
): PriceAlert["alert"] | undefined {
  const limit = limitOf(attempt);
  if (!limit) return undefined;
  if (kind === "refused") return "purchase_price_refused";
  const verdict = judgePrice(price, limit);
  if (verdict === "as_expected" || isKnown(attempt, price)) return undefined;
  // An unreadable price cannot be stored, so it is reported when the purchase ends.
  if (price === "unreadable" && kind !== "delivered") return undefined;
  return verdict === "differs" ? "purchase_price_differs" : "purchase_price_beyond_limit";
}

/** A price that came with a refusal was not charged, so a sale at that price is reported. */
const isKnown = ({ priceMinor, priceCurrency, doubtedFailureCode }: Attempt, price: ToldPrice): boolean =>
  doubtedFailureCode === null &&
  price !== "unreadable" &&
  priceMinor === price.amountMinor &&
  priceCurrency === price.currency;
