import { formatDecimal, roundUp } from "../fx/fraction.ts";
import type { Landed } from "./work-out-price.ts";

/** The rule of a price that a person set. */
export const BY_HAND = "hand";

/** What a price rests on. It is copied to the line of an order, so that reports rest on what was true then (CONTRACT 8). */
export type PriceBasis = {
  /** The id of a rule, or "hand". */
  rule: string;
  /** What a unit costs in the currency of the price, rounded up. Null where the cost is not known. */
  landedMinor: bigint | null;
  costMinor: bigint | null;
  costCurrency: string | null;
  supplierId: string | null;
  /** Decimal text, rounded to 12 decimals where two rates were multiplied. Null where nothing was converted. */
  rate: string | null;
  rateAt: string | null;
};

const RATE_DECIMALS = 12;

export type BasisCost = { amountMinor: bigint; currency: string; supplierId: string };

/** One text with fixed places. SQL reads the second one: `basis_landed` in migration 0076. */
export function writeBasis(rule: string, cost: BasisCost | undefined, landed: Landed | undefined): string {
  if (cost === undefined || landed === undefined) return `${rule}||||||`;
  const { rate } = landed;
  return [
    rule,
    roundUp(landed.value),
    cost.amountMinor,
    cost.currency,
    cost.supplierId,
    rate === undefined ? "" : formatDecimal(rate.value, RATE_DECIMALS),
    rate === undefined ? "" : rate.at.toISOString(),
  ].join("|");
}

export function readBasis(text: string): PriceBasis {
  const [rule = "", landed, cost, currency, supplierId, rate, rateAt] = text.split("|");
  return {
    rule,
    landedMinor: landed ? BigInt(landed) : null,
    costMinor: cost ? BigInt(cost) : null,
    costCurrency: currency || null,
    supplierId: supplierId || null,
    rate: rate || null,
    rateAt: rateAt || null,
  };
}
