import type { OrderAction } from "../../fulfilment/operate/order-actions.ts";
import type { FormState } from "../../web/form/define-form.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { button, linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { moneyText } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { panel, row, stack } from "../../web/parts/panel.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import type { ConsoleContext } from "../session.ts";
import { actionForm, writeExpected } from "./action-form.ts";
import type { BulkResult, Reviewed } from "./bulk-actions.ts";
import { sentenceOf } from "./consequences.ts";
import { ACTION_LABELS, orderHref, STUCK_PATH } from "./order-paths.ts";

type Offered = Reviewed & { offer: { isOffered: true; units: number; amountMinor: bigint } };
const isOffered = (one: Reviewed): one is Offered => one.offer.isOffered;

/** What would happen to each order of a selection, before anything does. */
export function renderReview(
  action: OrderAction,
  reviewed: readonly Reviewed[],
  ctx: ConsoleContext,
  state: FormState,
): PageContent {
  const label = ACTION_LABELS[action];
  const offered = reviewed.filter(isOffered);
  return {
    title: `${label}, ${offered.length} of ${reviewed.length}`,
    crumbs: [{ label: "Stuck", href: here(ctx, STUCK_PATH) }],
    subtitle: summary(action, offered),
    body: stack(
      tablePanel<Reviewed>({
        caption: "Orders",
        rows: reviewed,
        empty: emptyState("No orders", "None of the selected orders is there."),
        columns: [
          {
            head: "Order",
            cell: (one) => idText(one.state.id, { short: true, href: orderHref(ctx, one.state.id) }),
          },
          { head: "Reseller", wraps: true, cell: (one) => one.state.resellerName },
          { head: "What happens", wraps: true, cell: (one) => whatHappens(action, one) },
        ],
      }),
      offered.length === 0 ? backToStuck(ctx) : confirmation(action, offered, ctx, state),
    ),
  };
}

const backToStuck = (ctx: ConsoleContext): Html =>
  row(linkButton("Back to the list", here(ctx, STUCK_PATH), { kind: "main" }));

const whatHappens = (action: OrderAction, { state, offer }: Reviewed): Html =>
  offer.isOffered
    ? html`${sentenceOf(action, state, offer)}`
    : html`${chip("left out", "quiet")} ${offer.because}`;

/** How much money moves in all, by currency. */
function summary(action: OrderAction, offered: readonly Offered[]): string {
  const sums = new Map<string, bigint>();
  for (const { state, offer } of offered)
    sums.set(state.currency, (sums.get(state.currency) ?? 0n) + offer.amountMinor);
  const paid = [...sums].filter(([, sum]) => sum > 0n).map(([currency, sum]) => moneyText(sum, currency));
  if (paid.length === 0) return "Nothing has happened yet. No money moves at once.";
  return `Nothing has happened yet. In all ${paid.join(" and ")} ${paid.length === 1 ? "goes" : "go"} back to resellers${action === "write_off" ? ", and late codes go to quarantine" : ""}.`;
}

function confirmation(
  action: OrderAction,
  offered: readonly Offered[],
  ctx: ConsoleContext,
  state: FormState,
): Html {
  const { reason } = actionForm(action).fields;
  const isMoney = action === "refund" || action === "write_off";
  const picks = offered.map(
    ({ state: { id }, offer }) =>
      html`<input type="hidden" name="pick" value="${`${id} ${writeExpected(offer)}`}">`,
  );
  const error =
    state.formError === undefined
      ? undefined
      : html`<div class="notice bad" role="alert"><h2>${state.formError}</h2></div>`;
  return panel(
    { title: `${ACTION_LABELS[action]} ${offered.length} ${offered.length === 1 ? "order" : "orders"}?` },
    html`<form class="form" method="post" action="${here(ctx, `${STUCK_PATH}/apply`)}">${ctx.hidden({ once: true })}${error}<input type="hidden" name="action" value="${action}">${picks}${reason.render(
      "reason",
      { given: state.typed.reason ?? [], error: state.errors.reason, id: "bulk-reason" },
    )}<div class="row">${button(ACTION_LABELS[action], { kind: isMoney ? "danger" : "main" })}${linkButton("Cancel", here(ctx, STUCK_PATH))}</div></form>`,
  );
}

/** One line for each order. */
export function renderResults(
  action: OrderAction,
  results: readonly BulkResult[],
  ctx: ConsoleContext,
): PageContent {
  const done = results.filter(({ isDone }) => isDone).length;
  return {
    title: `${ACTION_LABELS[action]}: ${done} of ${results.length} done`,
    crumbs: [{ label: "Stuck", href: here(ctx, STUCK_PATH) }],
    body: stack(
      tablePanel<BulkResult>({
        caption: "Results",
        rows: results,
        empty: emptyState("No orders", "Nothing was selected."),
        columns: [
          {
            head: "Order",
            cell: ({ orderId }) => idText(orderId, { short: true, href: orderHref(ctx, orderId) }),
          },
          { head: "Result", cell: ({ isDone }) => (isDone ? chip("done") : chip("refused")) },
          { head: "What happened", wraps: true, cell: ({ text }) => text },
        ],
      }),
      backToStuck(ctx),
    ),
  };
}
