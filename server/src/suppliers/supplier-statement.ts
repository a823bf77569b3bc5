import type { Queryable } from "../db/database.ts";
import { type Money, toMoney } from "../lib/money.ts";
import { getSupplier } from "./get-supplier.ts";
import {
  listOddAttempts,
  listStatementRows,
  type OddAttemptReason,
  type OddAttemptRow,
  type StatementFilter,
  type StatementRow,
} from "./statement-queries.ts";

/** Purchases from one supplier at costs in one currency. Without a currency if no cost is known. */
export type StatementLine = {
  supplierId: string;
  supplierName: string;
  currency?: string;
  /** Delivered and quarantined: what the supplier will bill. */
  bought: number;
  delivered: number;
  quarantined: number;
  refused: number;
  /** The supplier never took them, as far as its books say. */
  notMade: number;
  unknown: number;
  cost?: Money;
  unknownCost?: Money;
};

export type OddAttempt = {
  supplierId: string;
  orderId: string;
  lineIndex: number;
  unitIndex: number;
  attempt: number;
  productId: string;
  status: "quarantined" | "unknown" | "delivered" | "refused";
  reason: OddAttemptReason | undefined;
  openedAt: string;
  /** The expected cost of a unit and the price that the supplier gave, if they differ. */
  cost?: Money;
  price?: Money;
};

export type SupplierStatement = { data: StatementLine[]; attempts: OddAttempt[]; hasMoreAttempts: boolean };

/**
 * What was bought from each supplier and at what cost, to compare with its bill, and each purchase that is in quarantine,
 * unknown or at an unexpected price, up to `attemptsMax`. The cost is what the supplier charged, in its currency, or the cost of
 * the route if the supplier did not say.
 */
export async function supplierStatement(
  db: Queryable,
  filter: StatementFilter,
  attemptsMax: number,
): Promise<SupplierStatement> {
  if (filter.supplierId !== undefined) await getSupplier(db, filter.supplierId);
  const rows = await listStatementRows(db, filter);
  const odd = await listOddAttempts(db, filter, attemptsMax + 1);
  return {
    data: rows.map(toLine),
    attempts: odd.slice(0, attemptsMax).map(toAttempt),
    hasMoreAttempts: odd.length > attemptsMax,
  };
}

const toLine = (row: StatementRow): StatementLine => ({
  supplierId: row.supplierId,
  supplierName: row.supplierName,
  ...(row.currency === null ? {} : { currency: row.currency }),
  bought: row.delivered + row.quarantined,
  delivered: row.delivered,
  quarantined: row.quarantined,
  refused: row.refused,
  notMade: row.notMade,
  unknown: row.unknown,
  ...(row.currency === null
    ? {}
    : {
        cost: toMoney(row.boughtMinor ?? 0n, row.currency),
        unknownCost: toMoney(row.unknownMinor ?? 0n, row.currency),
      }),
});

function toPrices({ costMinor, costCurrency, priceMinor, priceCurrency }: OddAttemptRow) {
  if (costMinor === null || costCurrency === null || priceMinor === null || priceCurrency === null) return {};
  if (costMinor === priceMinor && costCurrency === priceCurrency) return {};
  return { cost: toMoney(costMinor, costCurrency), price: toMoney(priceMinor, priceCurrency) };
}

const toAttempt = (row: OddAttemptRow): OddAttempt => ({
  supplierId: row.supplierId,
  orderId: row.orderId,
  lineIndex: row.lineIndex,
  unitIndex: row.unitIndex,
  attempt: row.number,
  productId: row.productId,
  status: row.status === "open" ? "unknown" : row.status,
  reason: row.reason ?? undefined,
  openedAt: row.openedAt.toISOString(),
  ...toPrices(row),
});
