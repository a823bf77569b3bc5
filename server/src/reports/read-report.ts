import type { Queryable } from "../db/database.ts";
import {
  dimensionOf,
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
export const REPORT_BYS = [
  ...(["day", "hour", "product", "brand", "reseller", "supplier"] as const),
] satisfies ReportBy[];

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
  const keys = scope.member ? [scope.member.id] : [...new Set(table.rows.map(({ key }) => key))];
  const isNamed = scope.member !== undefined || UNNAMED.every((by) => by !== scope.by);
  const names = isNamed ? await listNames(db, dimensionOf(scope), keys) : new Map<string, string>();
  return { name, ...table, names, completeUntil };
}

/** Keys that people read as they are. */
const UNNAMED: readonly ReportBy[] = ["hour", "day", "brand"];

async function readTable(db: Queryable, name: ReportName, scope: ReportScope): Promise<ReportTable> {
  const { by } = scope;
  const of = dimensionOf(scope);
  const hasOrders = of === "reseller";
  const orders = async () => (hasOrders ? sumOrders(db, scope) : []);
  switch (name) {
    case "sales":
      return salesTable(by, of, ...(await Promise.all([orders(), sumLines(db, scope)])));
    case "margin":
      return marginTable(by, of, await sumLines(db, scope));
    case "refunds":
      return refundsTable(by, of, ...(await Promise.all([orders(), sumLines(db, scope)])));
    case "fulfilment":
      return fulfilmentTable(
        by,
        of,
        ...(await Promise.all([orders(), hasOrders ? [] : sumLines(db, scope), sumTimes(db, scope)])),
      );
  }
}
