import { listAnyOrders } from "../../fulfilment/operate/list-any-orders.ts";
import { listSupplierNames } from "../../suppliers/queries.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { hiddenField } from "../../web/form/text-fields.ts";
import { redirect } from "../../web/pages/define-page.ts";
import type { ConsoleDeps, ConsoleFace } from "../session.ts";
import { actionPages } from "./action-pages.ts";
import { bulkPages } from "./bulk-pages.ts";
import { enterCodePages } from "./enter-code-pages.ts";
import { renderOrders } from "./list-page.ts";
import { loadOrder } from "./load-order.ts";
import { renderOrder } from "./order-page.ts";
import { ORDERS_PATH, STUCK_PATH, UNKNOWN_PATH } from "./order-paths.ts";
import { readOrderQuery } from "./order-query.ts";
import { ordersCsv } from "./orders-csv.ts";
import { operatorOf, runAction } from "./run-action.ts";
import { loadStuck, renderStuck } from "./stuck-page.ts";
import { loadUnknown, renderUnknown } from "./unknown-page.ts";

/** Orders of all resellers, unknown outcomes, and what is stuck. */
export function orderPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: ORDERS_PATH,
    permission: "orders.read",
    async load(ctx) {
      const query = readOrderQuery(ctx);
      const [page, suppliers] = await Promise.all([
        listAnyOrders(deps, query.search, query.asked),
        listSupplierNames(deps.db),
      ]);
      return { query, suppliers, ...page };
    },
    render: renderOrders,
  });
  face.download({
    path: `${ORDERS_PATH}.csv`,
    permission: "orders.read",
    load: async (ctx) => ordersCsv(deps, ctx),
  });
  face.page({
    path: `${ORDERS_PATH}/:id`,
    permission: "orders.read",
    load: (ctx) => loadOrder(deps, ctx),
    render: renderOrder,
  });
  enterCodePages(face, deps);
  actionPages(face, deps);
  unknownPages(face, deps);
  face.page({
    path: STUCK_PATH,
    permission: "orders.read",
    load: (ctx) => loadStuck(deps, ctx),
    render: (data, ctx) => renderStuck(data, ctx),
  });
  bulkPages(face, deps);
}

const lookUpForm = defineForm({ id: hiddenField("Order") });

function unknownPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: UNKNOWN_PATH,
    permission: "orders.read",
    load: (ctx) => loadUnknown(deps, ctx),
    render: (data, ctx) => renderUnknown(data, ctx),
  });
  face.action({
    path: `${UNKNOWN_PATH}/look-up`,
    permission: "orders.manage",
    form: lookUpForm,
    async run({ id }, ctx) {
      const by = operatorOf(ctx, "look_up", "");
      return redirect(
        UNKNOWN_PATH,
        await runAction(deps, by, { orderId: id, action: "look_up", reason: "" }),
      );
    },
    again: async (state, ctx) => renderUnknown(await loadUnknown(deps, ctx), ctx, state.formError),
  });
}
