import { type Money, toMoney } from "../../lib/money.ts";
import type { RouteRow } from "../../suppliers/route-queries.ts";
import { showMoney } from "./format.ts";

export type RouteView = {
  productId: string;
  supplierId: string;
  priority: number;
  /** Absent when unknown. */
  cost?: Money;
  /** Absent when only the cost is accepted. */
  maxCost?: Money;
  sku: string;
  /** The face value that is bought, where the supplier lets the buyer choose. */
  value?: string;
  /** Our names of input fields, and what the supplier calls them. */
  map?: Readonly<Record<string, string>>;
};

/** A route as it is printed. */
export const toRouteView = (row: RouteRow): RouteView => ({
  productId: row.productId,
  supplierId: row.supplierId,
  priority: row.priority,
  ...(row.costMinor === null || row.costCurrency === null
    ? {}
    : { cost: toMoney(row.costMinor, row.costCurrency) }),
  ...(row.maxCostMinor === null || row.costCurrency === null
    ? {}
    : { maxCost: toMoney(row.maxCostMinor, row.costCurrency) }),
  sku: row.sku,
  ...(row.value === null ? {} : { value: row.value }),
  ...(row.fieldMap === null ? {} : { map: row.fieldMap }),
});

/** For people. */
export const showCost = (cost: Money | undefined): string =>
  cost === undefined ? "unknown" : showMoney(cost.amount, cost.currency);
