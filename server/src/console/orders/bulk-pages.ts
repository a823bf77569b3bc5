import { isOrderAction, type OrderAction } from "../../fulfilment/operate/order-actions.ts";
import { Problem } from "../../lib/problem.ts";
import { defineForm } from "../../web/form/define-form.ts";
import type { Field } from "../../web/form/field.ts";
import { hiddenField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { showOnce } from "../../web/pages/define-page.ts";
import type { ConsoleDeps, ConsoleFace } from "../session.ts";
import { actionForm, readExpected } from "./action-form.ts";
import { wrongReason } from "./action-pages.ts";
import { BULK_MAX, type BulkPick, reviewOrders, runBulk } from "./bulk-actions.ts";
import { renderResults, renderReview } from "./bulk-page.ts";
import { ACTION_LABELS, STUCK_PATH } from "./order-paths.ts";
import { movesMoneyOf, operatorOf } from "./run-action.ts";
import { loadStuck, renderStuck } from "./stuck-page.ts";

const manyField = <Value>(
  label: string,
  read: (text: string) => Value | undefined,
): Field<readonly Value[]> => ({
  label,
  read(given) {
    const values = given.map(read);
    return values.includes(undefined)
      ? { error: "Select the orders again." }
      : { value: values.filter((value) => value !== undefined) };
  },
  render: () => {
    throw new Error("it is rendered by the list");
  },
});

const ORDER_ID = /^ord_[\w-]{1,60}$/;
const reviewForm = defineForm({
  action: hiddenField("Action"),
  order: manyField("Orders", (text) => (ORDER_ID.test(text) ? text : undefined)),
});
const applyForm = defineForm({
  action: hiddenField("Action"),
  pick: manyField("Orders", readPick),
  reason: actionForm("look_up").fields.reason,
});

/** An order and what the page said would happen to it: `ord_… 2:1890`. */
function readPick(text: string): BulkPick | undefined {
  const [orderId = "", told = ""] = text.split(" ");
  const expected = readExpected(told);
  return ORDER_ID.test(orderId) && expected ? { orderId, expected } : undefined;
}

/** The same actions on a selection: first what would happen to each, then each by itself. */
export function bulkPages(face: ConsoleFace, deps: ConsoleDeps): void {
  const stuck = async (
    error: string | undefined,
    ctx: Parameters<typeof renderStuck>[1],
  ): Promise<PageContent> => renderStuck(await loadStuck(deps, ctx), ctx, error);
  face.action({
    path: `${STUCK_PATH}/review`,
    permission: "orders.manage",
    form: reviewForm,
    async run({ action, order }, ctx) {
      const ids = [...new Set(order)];
      checkSelection(action, ids.length);
      return showOnce(renderReview(action, await reviewOrders(deps, action, ids), ctx, applyStart));
    },
    again: (state, ctx) => stuck(state.formError ?? Object.values(state.errors)[0], ctx),
  });
  face.action({
    path: `${STUCK_PATH}/apply`,
    permission: "orders.manage",
    form: applyForm,
    once: true,
    does: ({ action, pick }) =>
      `${isOrderAction(action) ? ACTION_LABELS[action] : "Change"} ${pick.length} ${pick.length === 1 ? "order" : "orders"}, each by itself.`,
    async run({ action, pick, reason }, ctx) {
      checkSelection(action, pick.length);
      const { errors } = actionForm(action).read(new Map([["reason", [reason]]])).state;
      if (errors.reason !== undefined) throw wrongReason(errors.reason);
      const ids = pick.map(({ orderId }) => orderId);
      const by = operatorOf(ctx, action, reason, await movesMoneyOf(deps, ctx, action, ids));
      return showOnce(renderResults(action, await runBulk(deps, by, { action, reason, picks: pick }), ctx));
    },
    async again(state, ctx) {
      const [action = ""] = state.typed.action ?? [];
      const ids = (state.typed.pick ?? []).flatMap((text) => readPick(text)?.orderId ?? []);
      if (!isOrderAction(action) || ids.length === 0 || ids.length > BULK_MAX)
        return stuck(state.formError ?? "Select the orders again.", ctx);
      return renderReview(action, await reviewOrders(deps, action, ids), ctx, state);
    },
  });
}

const applyStart = { typed: {}, errors: {} };

function checkSelection(action: string, count: number): asserts action is OrderAction {
  if (!isOrderAction(action)) throw new Problem("invalid_request", "Choose what to do with the orders.");
  if (count === 0) throw new Problem("invalid_request", "Select at least one order.");
  if (count > BULK_MAX)
    throw new Problem("invalid_request", `Select at most ${BULK_MAX} orders. You selected ${count}.`);
}
