import { formatAmount } from "../../lib/money.ts";
import { exportOrders } from "../../orders/list-orders.ts";
import type { OrderView } from "../../orders/schemas.ts";
import type { Download } from "../../web/pages/define-page.ts";
import { csvFile } from "../../web/table/csv-file.ts";
import { type DashboardContext, type DashboardDeps, tenantOf } from "../session.ts";
import { readOrderQuery } from "./order-query.ts";

const HEADS = [
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

/** All orders of a filter, one on each line. The file is sent while it is made, so its size has no limit. */
export function ordersCsv({ db }: Pick<DashboardDeps, "db">, ctx: DashboardContext): Download {
  const tenant = tenantOf(ctx);
  const { asked, search } = readOrderQuery(ctx);
  const orders = exportOrders(db, tenant, asked, search);
  return csvFile(`orders-${tenant.environment}.csv`, HEADS, toRows(orders));
}

async function* toRows(orders: AsyncIterable<OrderView>): AsyncGenerator<string[]> {
  for await (const order of orders) yield toCells(order);
}

const toCells = ({ id, status, createdAt, updatedAt, reference, total, refundedTotal, lines }: OrderView) => [
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
