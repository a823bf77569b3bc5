import { exportOrders } from "../../orders/list-orders.ts";
import { ORDER_HEADS, orderCells } from "../../orders/order-csv.ts";
import type { OrderView } from "../../orders/schemas.ts";
import type { Download } from "../../web/pages/define-page.ts";
import { csvFile } from "../../web/table/csv-file.ts";
import { type DashboardContext, type DashboardDeps, tenantOf } from "../session.ts";
import { readOrderQuery } from "./order-query.ts";

/** All orders of a filter, one on each line. The file is sent while it is made, so its size has no limit. */
export function ordersCsv({ db }: Pick<DashboardDeps, "db">, ctx: DashboardContext): Download {
  const tenant = tenantOf(ctx);
  const { asked, search } = readOrderQuery(ctx);
  const orders = exportOrders(db, tenant, asked, search);
  return csvFile(`orders-${tenant.environment}.csv`, ORDER_HEADS, toRows(orders));
}

async function* toRows(orders: AsyncIterable<OrderView>): AsyncGenerator<string[]> {
  for await (const order of orders) yield orderCells(order);
}
