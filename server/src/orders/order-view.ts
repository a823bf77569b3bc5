import { toSafeInteger } from "../lib/money.ts";
import type { OrderLineRow, OrderRow } from "./queries.ts";
import type { OrderView } from "./schemas.ts";

/** An order as a reseller reads it. Absent members are omitted. */
export const toOrderView = (row: OrderRow): OrderView => ({
  id: row.id,
  status: row.status,
  total: money(row.totalMinor, row.currency),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  ...(row.reference === null ? {} : { reference: row.reference }),
  ...(row.allOrNothing ? { fulfilment: "all_or_nothing" } : {}),
  refundedTotal: money(row.refundedMinor, row.currency),
  lines: row.lines.map((line) => toLineView(line, row.currency)),
});

const toLineView = (line: OrderLineRow, currency: string): OrderView["lines"][number] => ({
  productId: line.productId,
  name: line.name,
  unitPrice: money(BigInt(line.unitPriceMinor), currency),
  quantity: line.quantity,
  lineTotal: money(BigInt(line.lineTotalMinor), currency),
  ...(line.inputFields === null ? {} : { inputFields: line.inputFields }),
  fulfilledQuantity: line.fulfilledQuantity,
  refundedQuantity: line.refundedQuantity,
  ...(line.failureCode === null ? {} : { failureCode: line.failureCode }),
});

export const money = (amountMinor: bigint, currency: string) => ({
  amount: toSafeInteger(amountMinor),
  currency,
});
