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

/** What was asked of one supplier at costs in one currency; without a currency, where the route had no cost. */
export type StatementLine = {
  supplierId: string;
  supplierName: string;
  currency?: string;
  /** Delivered and quarantined: what the supplier will want to be paid for. */
  bought: number;
  delivered: number;
  quarantined: number;
  refused: number;
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
  status: "quarantined" | "unknown";
  reason: OddAttemptReason | undefined;
  openedAt: string;
};

export type SupplierStatement = { data: StatementLine[]; attempts: OddAttempt[]; hasMoreAttempts: boolean };

/**
 * What was bought from whom at what cost, to be held against the supplier's own bill, and each purchase that is in
 * quarantine or unknown, up to `attemptsMax` of them.
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
  unknown: row.unknown,
  ...(row.currency === null
    ? {}
    : {
        cost: toMoney(row.boughtMinor ?? 0n, row.currency),
        unknownCost: toMoney(row.unknownMinor ?? 0n, row.currency),
      }),
});

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
});
