import { decideAction, type OrderAction } from "../../fulfilment/operate/order-actions.ts";
import { readOrderStates } from "../../fulfilment/operate/order-state.ts";
import { notFound, Problem } from "../../lib/problem.ts";
import { redirect, showOnce } from "../../web/pages/define-page.ts";
import type { ConsoleContext, ConsoleDeps, ConsoleFace } from "../session.ts";
import { actionForm, anyActionForm, readExpected } from "./action-form.ts";
import { renderAction } from "./action-page.ts";
import { consequencesOf } from "./consequences.ts";
import { loadOrder } from "./load-order.ts";
import { ACTION_LABELS, actionOf, ORDERS_PATH, orderHref } from "./order-paths.ts";
import { movesMoneyOf, operatorOf, runAction } from "./run-action.ts";

const PATH = `${ORDERS_PATH}/:id/:action`;

/** Every decision about an order: a page that says what will happen, and the form that does it. */
export function actionPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: PATH,
    permission: "orders.manage",
    load: async (ctx) => ({ action: actionFrom(ctx), data: await loadOrder(deps, ctx) }),
    render: ({ action, data }, ctx) => renderAction(action, data, ctx, anyActionForm.start()),
  });
  face.action({
    path: PATH,
    permission: "orders.manage",
    form: anyActionForm,
    once: true,
    async does({ expected: seen }, ctx) {
      const action = actionFrom(ctx);
      const [state] = await readOrderStates(deps.db, [ctx.params.id ?? ""], ctx.now);
      if (!state) throw notFound();
      const offer = decideAction(state, action);
      if (!offer.isOffered) throw new Problem("invalid_request", offer.because);
      const effect = readExpected(seen) ?? offer;
      return `${ACTION_LABELS[action]} ${ctx.params.id}. ${consequencesOf(action, state, effect)
        .map(([about, what]) => `${about}: ${String(what).replace(/\.?$/, ".")}`)
        .join(" ")}`;
    },
    async run({ reason, units, expected: told }, ctx) {
      const action = actionFrom(ctx);
      const { id: orderId = "" } = ctx.params;
      const expected = readExpected(told);
      if (!expected) {
        const data = await loadOrder(deps, ctx);
        return showOnce(renderAction(action, data, ctx, anyActionForm.start(), units));
      }
      const { errors } = actionForm(action).read(new Map([["reason", [reason]]])).state;
      if (errors.reason !== undefined) throw wrongReason(errors.reason);
      const by = operatorOf(ctx, action, reason, await movesMoneyOf(deps, ctx, action, [orderId]));
      const chosen = units.length === 0 ? undefined : units;
      const done = await runAction(deps, by, { orderId, action, reason, units: chosen, expected });
      return redirect(orderHref(ctx, orderId), done);
    },
    async again(state, ctx) {
      const units = anyActionForm.fields.units.read(state.typed.units ?? []);
      const chosen = "value" in units ? units.value : [];
      return renderAction(actionFrom(ctx), await loadOrder(deps, ctx), ctx, state, chosen);
    },
  });
}

/** Some actions need a reason and some do not, so the form itself accepts none. */
export const wrongReason = (detail: string): Problem =>
  new Problem("invalid_request", detail, { errors: [{ pointer: "/reason", code: "required", detail }] });

function actionFrom({ params }: ConsoleContext): OrderAction {
  const action = actionOf(params.action);
  if (!action) throw notFound();
  return action;
}
