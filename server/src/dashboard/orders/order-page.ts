import { CODES_LISTED_MAX } from "../../fulfilment/reveal/list-codes.ts";
import { actorKey } from "../../lib/actor.ts";
import type { OrderView } from "../../orders/schemas.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { button } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { copyIcon, idText } from "../../web/parts/copy.ts";
import { money } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { columns, facts, panel } from "../../web/parts/panel.ts";
import { exactly } from "../../web/parts/time.ts";
import { timeline } from "../../web/parts/timeline.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { attrs, type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { BASE, type DashboardContext, here } from "../session.ts";
import { ORDERS_PATH, orderHref } from "./list-page.ts";
import type { OrderData } from "./load-order.ts";
import { CSV_FORM, codesPanel, mayRevealCodes, REVEAL_FORM, type Revealed } from "./order-codes.ts";
import { orderTimeline } from "./order-timeline.ts";

const NONE: Revealed = new Map();

/** An order: its lines, codes and history. While it moves, its parts are read again every few seconds. */
export function renderOrder(data: OrderData, ctx: DashboardContext, revealed: Revealed = NONE): PageContent {
  const { order } = data;
  // What was just revealed stays until the person leaves.
  const isLive = isMoving(order) && revealed.size === 0;
  return {
    title: `Order ${order.id}`,
    heading: idText(order.id),
    crumbs: [{ label: "Orders", href: here(ctx, ORDERS_PATH) }],
    subtitle: subtitle(data, ctx, isLive),
    actions: html`<span class="row" id="order-actions"${attrs({ "up-hungry": isLive })}>${actions(data, ctx)}</span>`,
    body: columns(
      [
        linesPanel(order, ctx, isLive),
        codesPanel(data, revealed, ctx, isLive),
        panel({ title: "Details" }, facts(details(data, ctx))),
      ],
      panel({ title: "Timeline", id: "order-timeline", live: isLive }, timeline(orderTimeline(data, ctx))),
    ),
  };
}

export const isMoving = ({ status }: Pick<OrderView, "status">): boolean =>
  status === "pending" || status === "processing";

const subtitle = ({ order, origin, names }: OrderData, ctx: DashboardContext, isLive: boolean): Html =>
  html`<span id="order-status"${attrs({ "up-poll": isLive })}>${chip(order.status)}${
    isLive ? html` <a class="link" href="${orderHref(ctx, order.id)}">Refresh</a>` : undefined
  }</span> placed ${exactly(new Date(order.createdAt))} by ${
    origin.placedBy.kind === "key" ? "key " : ""
  }${whoText(names.get(actorKey(origin.placedBy)), origin.placedBy.id)}`;

const whoText = (name: string | undefined, id: string): Html => html`<span class="id">${name ?? id}</span>`;

/** A page cannot hold thousands of codes; a file can. */
function actions({ codes }: OrderData, ctx: DashboardContext): HtmlValue {
  if (!mayRevealCodes(ctx) || codes.count === 0) return undefined;
  const isTooMany = codes.count > CODES_LISTED_MAX;
  return [
    button("Codes as CSV", { form: CSV_FORM, ...(isTooMany ? { kind: "main" } : {}) }),
    isTooMany ? undefined : button("Reveal codes", { form: REVEAL_FORM, kind: "main" }),
  ];
}

type Line = OrderView["lines"][number];

const linesPanel = (order: OrderView, ctx: DashboardContext, isLive: boolean): Html =>
  tablePanel({
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
      { head: "Delivered", numeric: true, cell: deliveredCell },
      { head: "Line total", numeric: true, cell: ({ lineTotal }) => amount(lineTotal) },
    ],
  });

const amount = (value: { amount: number; currency: string }): Html =>
  money(BigInt(value.amount), value.currency);

const totals = ({ total, refundedTotal }: OrderView): Html =>
  refundedTotal.amount === 0
    ? html`total ${amount(total)}`
    : html`total ${amount(total)}, ${amount(refundedTotal)} refunded`;

function productCell({ name, productId, inputFields = {} }: Line, ctx: DashboardContext): Html {
  const given = Object.entries(inputFields).map(([key, value]) => `${key}: ${String(value)}`);
  return twoLines(
    html`<a href="${here(ctx, `${BASE}/catalog/${encodeURIComponent(productId)}`)}">${name}</a>`,
    html`<span class="id">${productId}</span>${given.length === 0 ? undefined : html`<br>${given.join(", ")}`}`,
  );
}

function deliveredCell({ fulfilledQuantity, refundedQuantity, failureCode }: Line): HtmlValue {
  const notes = [
    ...(failureCode === undefined ? [] : [failureCode]),
    ...(refundedQuantity === 0 ? [] : [`${refundedQuantity} refunded`]),
  ];
  return notes.length === 0
    ? fulfilledQuantity
    : twoLines(
        fulfilledQuantity,
        notes.map((note, index) => (index === 0 ? note : html`<br>${note}`)),
      );
}

function details({ order, origin, requestId, names }: OrderData, ctx: DashboardContext) {
  const { placedBy, idempotencyKey } = origin;
  const name = names.get(actorKey(placedBy)) ?? placedBy.id;
  const request =
    requestId === undefined
      ? html`<span class="quiet">${placedBy.kind === "key" ? "not in the log; requests are kept for 14 days" : "placed in the dashboard"}</span>`
      : idText(requestId, { short: true, href: here(ctx, `${BASE}/requests/${requestId}`) });
  const list: (readonly [string, HtmlValue])[] = [
    ["Placed by", placedBy.kind === "key" ? keyLink(name, ctx) : name],
    ["API request", request],
    ["Idempotency key", copyableText(idempotencyKey, "idempotency key")],
    ["Reference", order.reference === undefined ? NO_VALUE : copyableText(order.reference, "reference")],
    ["Fulfilment", order.fulfilment ?? "partial"],
    ["Last change", exactly(new Date(order.updatedAt))],
  ];
  return list;
}

const NO_VALUE = html`<span class="quiet">none</span>`;

const keyLink = (hint: string, ctx: DashboardContext): Html =>
  html`key <a class="id" href="${here(ctx, `${BASE}/keys`)}">${hint}</a>`;

/** A key of 255 characters breaks into lines. */
const copyableText = (text: string, what: string): Html => html`<code>${text}</code>${copyIcon(text, what)}`;
