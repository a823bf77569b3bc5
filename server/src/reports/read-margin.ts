import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { isConverted, type MarginParts, marginOf, sumParts } from "./margin-of.ts";
import { type MarginBy, type MarginSums, sumMargins } from "./margin-queries.ts";
import { findCompleteUntil } from "./report-queries.ts";

export const MARGIN_BYS = [
  ...(["day", "month", "product", "brand", "reseller", "supplier"] as const),
] satisfies MarginBy[];

export type MarginScope = {
  environment: Tenant["environment"];
  /** Whole days in UTC; `to` is not included. */
  from: Date;
  to: Date;
  by: readonly MarginBy[];
};

/** What something cost, in the currency in which suppliers charged it. */
export type Charged = { currency: string; costMinor: bigint; lostMinor: bigint };

export type MarginRow = MarginParts & {
  /** One for each of `by`; empty where it is not known, such as the supplier of a sale. */
  keys: readonly string[];
  currency: string;
  soldUnits: bigint;
  soldMinor: bigint;
  refundedMinor: bigint;
  /** Sold less refunded: what the ledger's sales account changed by. */
  netMinor: bigint;
  /** The landed cost as of acceptance, of what was not refunded before it was delivered. */
  landedMinor: bigint;
  /** The part of the net for which the landed cost was not known; it has no margin at acceptance. */
  unlandedMinor: bigint;
  acceptedMarginMinor: bigint;
  /** What was delivered and kept, less what it cost. Undefined where no cost is known. */
  marginMinor: bigint | undefined;
  /** Some of the cost was in another currency than the sale. */
  isConverted: boolean;
  deliveredUnits: bigint;
  boughtUnits: bigint;
  /** Units that were bought and that nobody got: quarantined or written off. */
  lostUnits: bigint;
  lostConvertedMinor: bigint;
  charged: readonly Charged[];
};

export type MarginReport = {
  by: readonly MarginBy[];
  rows: MarginRow[];
  /** One for each currency. */
  totals: MarginRow[];
  completeUntil: Date | undefined;
};

/** Sales, what they cost, and what the margin was on what was true at acceptance, from the roll-ups. Its totals equal the ledger (invariant 15). */
export async function readMargin(db: Queryable, scope: MarginScope): Promise<MarginReport> {
  const sums = await sumMargins(db, scope);
  return {
    by: scope.by,
    rows: addUp(sums, ({ keys }) => keys),
    totals: addUp(sums, () => []),
    completeUntil: await findCompleteUntil(db),
  };
}

function addUp(sums: readonly MarginSums[], keysOf: (sum: MarginSums) => readonly string[]): MarginRow[] {
  const groups = Map.groupBy(sums, (sum) => JSON.stringify([keysOf(sum), sum.currency]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [toRow(keysOf(first), first.currency, group)] : [];
  });
}

type Measure = Exclude<keyof MarginSums, "keys" | "currency" | "costCurrency">;

function toRow(keys: readonly string[], currency: string, group: readonly MarginSums[]): MarginRow {
  const total = (measure: Measure): bigint => group.reduce((sum, one) => sum + one[measure], 0n);
  const netMinor = total("soldMinor") - total("refundedMinor");
  const [landedMinor, unlandedMinor] = [total("landedMinor"), total("unlandedMinor")];
  const charged = Map.groupBy(
    group.filter(({ costCurrency, costMinor }) => costCurrency !== "" && costMinor !== 0n),
    ({ costCurrency }) => costCurrency,
  );
  const parts = sumParts(group);
  return {
    ...parts,
    keys,
    currency,
    soldUnits: total("soldUnits"),
    soldMinor: total("soldMinor"),
    refundedMinor: total("refundedMinor"),
    netMinor,
    landedMinor,
    unlandedMinor,
    acceptedMarginMinor: netMinor - unlandedMinor - landedMinor,
    marginMinor: marginOf(parts),
    isConverted: isConverted(group),
    deliveredUnits: total("deliveredUnits"),
    boughtUnits: total("boughtUnits"),
    lostUnits: total("lostUnits"),
    lostConvertedMinor: total("lostConvertedMinor"),
    charged: [...charged].map(([costCurrency, ones]) => ({
      currency: costCurrency,
      costMinor: ones.reduce((sum, one) => sum + one.costMinor, 0n),
      lostMinor: ones.reduce((sum, one) => sum + one.lostMinor, 0n),
    })),
  };
}
