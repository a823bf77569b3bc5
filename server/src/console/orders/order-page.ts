import { decideAction, ORDER_ACTIONS, sumUnits } from "../../fulfilment/operate/order-actions.ts";
import { actorKey } from "../../lib/actor.ts";
import type { OrderView } from "../../orders/schemas.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { copyIcon, idText } from "../../web/parts/copy.ts";
import { money } from "../../web/parts/money.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { columns, facts, panel, row, stack } from "../../web/parts/panel.ts";
import { exactly } from "../../web/parts/time.ts";
import { timeline } from "../../web/parts/timeline.ts";
import { type Column, twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { attrs, type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { plainWord, wordChip } from "../plain-word.ts";
import { type ConsoleContext, may } from "../session.ts";
import { sentenceOf, unitsText } from "./consequences.ts";
import { enterable } from "./enter-code-pages.ts";
import type { OrderData } from "./load-order.ts";
import { ledgerPanel, marginFacts, purchasesPanel, routesPanel } from "./order-panels.ts";
import {
  ACTION_LABELS,
  actionHref,
  ENTER_CODE_LABEL,
  enterCodeHref,
  ORDERS_PATH,
  orderHref,
  productHref,
  resellerHref,
} from "./order-paths.ts";
import { orderTimeline } from "./order-timeline.ts";

/** Everything about an order of any reseller, and what can be done with it now. */
export function renderOrder(data: OrderData, ctx: ConsoleContext): PageContent {
  const { order } = data.described;
  const isLive = order.status === "pending" || order.status === "processing";
  return {
    title: `Order ${order.id}`,
    heading: idText(order.id),
    crumbs: [{ label: "Orders", href: here(ctx, ORDERS_PATH) }],
    subtitle: subtitle(data, ctx, isLive),
    body: stack(
      reversalNotice(data, ctx),
      columns(
        [linesPanel(data, ctx, isLive), ledgerPanel(data, ctx)],
        may(ctx, "orders.manage")
          ? actionsPanel(data, ctx, isLive)
          : panel({ title: "Margin" }, facts(marginFacts(data))),
      ),
      purchasesPanel(data, ctx, isLive),
      columns(
        [
          panel({ title: "Timeline", id: "order-timeline", live: isLive }, timeline(orderTimeline(data))),
          data.described.environment === "live" ? routesPanel(data, ctx) : undefined,
        ],
        [
          may(ctx, "orders.manage") ? panel({ title: "Margin" }, facts(marginFacts(data))) : undefined,
          panel({ title: "Details" }, facts(details(data, ctx))),
        ],
      ),
    ),
  };
}

const subtitle = ({ described }: OrderData, ctx: ConsoleContext, isLive: boolean): Html =>
  html`<span id="order-status"${attrs({ "up-poll": isLive })}>${wordChip(described.order.status)}${
    described.state.refundHeld ? html` ${chip("refund held", "warn")}` : undefined
  }${described.environment === "test" ? html` ${chip("test", "warn")}` : undefined}${
    isLive ? html` <a class="link" href="${orderHref(ctx, described.order.id)}">Refresh</a>` : undefined
  }</span> <a href="${resellerHref(ctx, described.resellerId)}">${described.state.resellerName}</a>, placed ${exactly(new Date(described.order.createdAt))}`;

/** A reversal waits for a person. Nothing was done about it by itself. */
function reversalNotice({ described: { state, order } }: OrderData, ctx: ConsoleContext): Html | undefined {
  const { units } = sumUnits(state, "reversed");
  if (units === 0) return undefined;
  const buttons = (["keep", "charge_back"] as const).flatMap((action) =>
    may(ctx, "orders.manage") && decideAction(state, action).isOffered
      ? [linkButton(ACTION_LABELS[action], actionHref(ctx, order.id, action))]
      : [],
  );
  return notice(
    "bad",
    `A supplier took back ${unitsText(units)} after delivery`,
    html`<p>It gave your money back; ${state.resellerName} has paid and has the code. Ask the supplier why, then keep ${units === 1 ? "it" : "them"} or charge ${units === 1 ? "it" : "them"} back.</p>${buttons.length === 0 ? undefined : row(...buttons)}`,
  );
}

/** Only what the rules allow now. Each says what it would do. */
function actionsPanel(data: OrderData, ctx: ConsoleContext, isLive: boolean): Html {
  const { described } = data;
  const { state, order } = described;
  const offered = ORDER_ACTIONS.flatMap((action) => {
    const offer = decideAction(state, action);
    if (!offer.isOffered) return [];
    return [
      html`<li><p>${sentenceOf(action, state, offer)}</p>${linkButton(ACTION_LABELS[action], actionHref(ctx, order.id, action))}</li>`,
    ];
  });
  const toEnter = enterable(data).length;
  if (toEnter > 0)
    offered.push(
      html`<li><p>Delivers the code that a supplier's support sent you${toEnter === 1 ? "" : `, for one of ${unitsText(toEnter)}`}. Nothing is paid back.</p>${linkButton(ENTER_CODE_LABEL, enterCodeHref(ctx, order.id))}</li>`,
    );
  return panel(
    { title: "What you can do", id: "order-actions", live: isLive },
    offered.length === 0
      ? html`<p class="quiet">No action is available. The order is ${order.status}.</p>`
      : html`<ul class="offers">${offered}</ul>`,
  );
}

type Line = OrderView["lines"][number];

function linesPanel(
  { described: { order, purchases } }: OrderData,
  ctx: ConsoleContext,
  isLive: boolean,
): Html {
  const takenBack = purchases.filter(({ reversedAt }) => reversedAt !== null);
  return tablePanel<Line>({
    title: "Lines",
    id: "order-lines",
    live: isLive,
    aside: totals(order),
    caption: "Lines",
    empty: emptyState("No lines", "This order has no lines."),
    rows: order.lines,
    columns: [
      { head: "Product", wraps: true, cell: (line) => productCell(line, ctx) },
      { head: "Unit price", numeric: true, cell: ({ unitPrice }) => amount(unitPrice) },
      { head: "Quantity", numeric: true, cell: ({ quantity }) => quantity },
      { head: "Delivered", numeric: true, cell: ({ fulfilledQuantity }) => fulfilledQuantity },
      ...(takenBack.length === 0 ? [] : [takenBackColumn(order.lines, takenBack)]),
      { head: "Refunded", numeric: true, cell: ({ refundedQuantity }) => refundedQuantity },
      { head: "Line total", numeric: true, cell: ({ lineTotal }) => amount(lineTotal) },
    ],
  });
}

/** How many delivered units of a line the supplier took back, decided or not. */
const takenBackColumn = (
  lines: readonly Line[],
  takenBack: readonly { lineIndex: number }[],
): Column<Line> => ({
  head: "Taken back",
  numeric: true,
  cell: (line) => takenBack.filter(({ lineIndex }) => lines[lineIndex] === line).length,
});

const amount = (value: { amount: number; currency: string }): Html =>
  money(BigInt(value.amount), value.currency);

const totals = ({ total, refundedTotal }: OrderView): Html =>
  refundedTotal.amount === 0
    ? html`total ${amount(total)}`
    : html`total ${amount(total)}, ${amount(refundedTotal)} refunded`;

function productCell({ name, productId, inputFields = {}, failureCode }: Line, ctx: ConsoleContext): Html {
  const given = [
    ...Object.entries(inputFields).map(([key, value]) => `${key}: ${String(value)}`),
    ...(failureCode === undefined ? [] : [plainWord(failureCode)]),
  ];
  return twoLines(
    html`<a href="${productHref(ctx, productId)}">${name}</a>`,
    html`<span class="id">${productId}</span>${given.length === 0 ? undefined : html`<br>${given.join(", ")}`}`,
  );
}

function details({ described, requestId, names }: OrderData, ctx: ConsoleContext) {
  const { order, placedBy, idempotencyKey, resellerId, state } = described;
  const name = names.get(actorKey(placedBy)) ?? placedBy.id;
  const list: (readonly [string, HtmlValue])[] = [
    ["Reseller", html`<a href="${resellerHref(ctx, resellerId)}">${state.resellerName}</a>`],
    ["Placed by", html`${placedBy.kind} <span class="id">${name}</span>`],
    ...(requestId === undefined ? [] : ([["API request", idText(requestId, { short: true })]] as const)),
    ["Idempotency key", copyableText(idempotencyKey, "idempotency key")],
    ["Reference", order.reference === undefined ? NO_VALUE : copyableText(order.reference, "reference")],
    ["Fulfilment", order.fulfilment ?? "partial"],
    ["Environment", described.environment],
    ["Last change", exactly(new Date(order.updatedAt))],
  ];
  return list;
}

const NO_VALUE = html`<span class="quiet">none</span>`;

/** A key of 255 characters breaks into lines. */
const copyableText = (text: string, what: string): Html => html`<code>${text}</code>${copyIcon(text, what)}`;
