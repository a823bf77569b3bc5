import type { Queryable } from "../db/database.ts";
import {
  findCompleteUntil,
  listNames,
  type ReportBy,
  type ReportScope,
  sumLines,
  sumOrders,
  sumTimes,
} from "./report-queries.ts";
import { fulfilmentTable, marginTable, type ReportTable, refundsTable, salesTable } from "./report-tables.ts";

export const REPORT_NAMES = ["sales", "margin", "refunds", "fulfilment"] as const;
export type ReportName = (typeof REPORT_NAMES)[number];
export const REPORT_BYS = ["day", "hour", "product", "reseller", "supplier"] as const satisfies ReportBy[];

export type Report = ReportTable & {
  name: ReportName;
  /** Names of the products, resellers or suppliers, by key. */
  names: ReadonlyMap<string, string>;
  /** Everything that was committed before this time is in it. */
  completeUntil: Date | undefined;
};

/** A report from the roll-ups. Its cost depends on the days and the members of it, and not on the number of orders. */
export async function readReport(db: Queryable, name: ReportName, scope: ReportScope): Promise<Report> {
  const [completeUntil, table] = await Promise.all([findCompleteUntil(db), readTable(db, name, scope)]);
  const keys = [...new Set(table.rows.map(({ key }) => key))];
  const { by } = scope;
  const names = by === "hour" || by === "day" ? new Map<string, string>() : await listNames(db, by, keys);
  return { name, ...table, names, completeUntil };
}

async function readTable(db: Queryable, name: ReportName, scope: ReportScope): Promise<ReportTable> {
  const hasOrders = scope.by !== "product" && scope.by !== "supplier";
  const orders = async () => (hasOrders ? sumOrders(db, scope) : []);
  switch (name) {
    case "sales":
      return salesTable(scope.by, ...(await Promise.all([orders(), sumLines(db, scope)])));
    case "margin":
      return marginTable(scope.by, await sumLines(db, scope));
    case "refunds":
      return refundsTable(scope.by, ...(await Promise.all([orders(), sumLines(db, scope)])));
    case "fulfilment":
      return fulfilmentTable(
        scope.by,
        ...(await Promise.all([orders(), hasOrders ? [] : sumLines(db, scope), sumTimes(db, scope)])),
      );
  }
}
