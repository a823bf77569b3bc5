import { formatAmount } from "../lib/money.ts";
import type { OrderView } from "./schemas.ts";

export const ORDER_HEADS = [
  "id",
  "status",
  "createdAt",
  "updatedAt",
  "reference",
  "total",
  "refundedTotal",
  "currency",
  "quantity",
  "products",
] as const;

/** An order as a line of a CSV file. */
export const orderCells = ({
  id,
  status,
  createdAt,
  updatedAt,
  reference,
  total,
  refundedTotal,
  lines,
}: OrderView): string[] => [
  id,
  status,
  createdAt,
  updatedAt,
  reference ?? "",
  formatAmount(BigInt(total.amount), total.currency),
  formatAmount(BigInt(refundedTotal.amount), total.currency),
  total.currency,
  String(lines.reduce((sum, { quantity }) => sum + quantity, 0)),
  lines.map(({ quantity, productId }) => `${quantity} × ${productId}`).join(", "),
];
