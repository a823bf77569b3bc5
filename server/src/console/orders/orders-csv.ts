import { type AnyOrder, exportAnyOrders } from "../../fulfilment/operate/list-any-orders.ts";
import { formatAmount } from "../../lib/money.ts";
import type { Download } from "../../web/pages/define-page.ts";
import { csvFile } from "../../web/table/csv-file.ts";
import type { ConsoleContext, ConsoleDeps } from "../session.ts";
import { readOrderQuery } from "./order-query.ts";

const HEADS = [
  ...["id", "resellerId", "resellerName", "env", "status", "createdAt", "updatedAt", "reference"],
  ...["idempotencyKey", "total", "refundedTotal", "currency", "cost", "costCurrency", "quantity", "products"],
];

/** All orders of a filter, one on each line. The file is sent while it is made, so its size has no limit. */
export function ordersCsv({ db }: Pick<ConsoleDeps, "db">, ctx: ConsoleContext): Download {
  const { asked, search } = readOrderQuery(ctx);
  const orders = exportAnyOrders(db, search, asked);
  return csvFile(`orders-${search.environment}.csv`, HEADS, toRows(orders));
}

async function* toRows(orders: AsyncIterable<AnyOrder>): AsyncGenerator<string[]> {
  for await (const order of orders) yield toCells(order);
}

/** An order that was bought in several currencies has each cost with its currency, and no single number. */
const toCells = (order: AnyOrder): string[] => [
  order.id,
  order.resellerId,
  order.resellerName,
  order.environment,
  order.status,
  order.createdAt,
  order.updatedAt,
  order.reference ?? "",
  order.idempotencyKey,
  formatAmount(BigInt(order.total.amount), order.total.currency),
  formatAmount(BigInt(order.refundedTotal.amount), order.total.currency),
  order.total.currency,
  order.costs.map(({ amountMinor, currency }) => formatAmount(amountMinor, currency)).join(" + "),
  order.costs.map(({ currency }) => currency).join(" + "),
  String(order.lines.reduce((sum, { quantity }) => sum + quantity, 0)),
  order.lines.map(({ quantity, productId }) => `${quantity} × ${productId}`).join(", "),
];
