import { listOrders } from "../../orders/list-orders.ts";
import { type DashboardDeps, type DashboardFace, tenantOf } from "../session.ts";
import { ORDERS_PATH, renderOrders } from "./list-page.ts";
import { loadOrder } from "./load-order.ts";
import { renderOrder } from "./order-page.ts";
import { readOrderQuery } from "./order-query.ts";
import { ordersCsv } from "./orders-csv.ts";
import { revealPages } from "./reveal-pages.ts";

/** Forms whose answer is a page: what leads back to their address shows the order again, with its codes hidden. */
const ANSWERED_IN_PLACE = ["/reveal", "/codes.csv"];

export function orderPages(face: DashboardFace, deps: DashboardDeps): void {
  face.page({
    path: ORDERS_PATH,
    permission: "orders.read",
    async load(ctx) {
      const query = readOrderQuery(ctx);
      return { query, ...(await listOrders(deps, tenantOf(ctx), query.asked, query.search)) };
    },
    render: renderOrders,
  });
  face.download({
    path: `${ORDERS_PATH}.csv`,
    permission: "orders.read",
    load: async (ctx) => ordersCsv(deps, ctx),
  });
  for (const path of ["", ...ANSWERED_IN_PLACE])
    face.page({
      path: `${ORDERS_PATH}/:id${path}`,
      permission: "orders.read",
      load: (ctx) => loadOrder(deps, ctx),
      render: (data, ctx) => renderOrder(data, ctx),
    });
  revealPages(face, deps);
}
