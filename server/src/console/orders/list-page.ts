import type { AnyOrder } from "../../fulfilment/operate/list-any-orders.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { linkButton } from "../../web/parts/button.ts";
import { idText } from "../../web/parts/copy.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { countText, money } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { time } from "../../web/parts/time.ts";
import { type Column, twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import { wordChip } from "../plain-word.ts";
import type { ConsoleContext } from "../session.ts";
import { ORDERS_PATH, orderHref, resellerHref } from "./order-paths.ts";
import { type OrderQuery, orderFilters, type SupplierName } from "./order-query.ts";

export type OrdersPage = {
  query: OrderQuery;
  suppliers: readonly SupplierName[];
  data: readonly AnyOrder[];
  nextCursor: string;
};

export function renderOrders(
  { query, suppliers, data, nextCursor }: OrdersPage,
  ctx: ConsoleContext,
): PageContent {
  const path = here(ctx, ORDERS_PATH, query.given);
  const next = nextCursor === "" ? undefined : nextCursor;
  const csv = here(ctx, `${ORDERS_PATH}.csv`, query.given);
  return {
    title: "Orders",
    subtitle: "Of all resellers, newest first.",
    ...(data.length === 0 ? {} : { actions: linkButton("Export CSV", csv, { download: true }) }),
    body: tablePanel({
      caption: "Orders",
      columns: columns(ctx),
      rows: data,
      empty: nothing(ctx, query, next && href(path, { cursor: next })),
      filters: filterBar({
        action: ORDERS_PATH,
        filters: orderFilters(query, suppliers),
        keep: { env: ctx.query.env === "test" ? "test" : undefined },
      }),
      pages: {
        path,
        next,
        hasFirst: ctx.query.cursor !== undefined,
        shown: `${data.length} ${data.length === 1 ? "order" : "orders"}`,
      },
    }),
  };
}

const columns = (ctx: ConsoleContext): Column<AnyOrder>[] => [
  {
    head: "Status",
    cell: ({ status, refundHeld }) =>
      refundHeld && (status === "failed" || status === "processing")
        ? twoLines(wordChip(status), "refund held")
        : wordChip(status),
  },
  { head: "Order", cell: ({ id }) => idText(id, { short: true, href: orderHref(ctx, id) }) },
  {
    head: "Reseller",
    wraps: true,
    cell: ({ resellerId, resellerName }) =>
      html`<a href="${resellerHref(ctx, resellerId)}">${resellerName}</a>`,
  },
  { head: "Products", wraps: true, cell: ({ lines }) => productsOf(lines) },
  { head: "Reference", wraps: true, cell: ({ reference }) => reference },
  { head: "Cost", numeric: true, cell: costOf },
  { head: "Total", numeric: true, cell: totalOf },
  { head: "Placed", cell: ({ createdAt }) => time(new Date(createdAt), ctx.now) },
];

/** The first line and how many more there are: enough to recognise an order. */
function productsOf(lines: AnyOrder["lines"]): Html {
  const [first, ...others] = lines;
  const named = html`${countText(first?.quantity ?? 0)} × ${first?.name}`;
  if (others.length === 0) return named;
  return twoLines(named, `and ${others.length} more ${others.length === 1 ? "line" : "lines"}`);
}

const costOf = ({ costs }: AnyOrder): Html =>
  html`${costs.map((cost) => html`<div>${money(cost.amountMinor, cost.currency)}</div>`)}`;

function totalOf({ total, refundedTotal, status }: AnyOrder): Html {
  const shown = money(BigInt(total.amount), total.currency);
  if (refundedTotal.amount === 0 || status === "refunded") return shown;
  return twoLines(shown, html`${money(BigInt(refundedTotal.amount), total.currency)} refunded`);
}

function nothing(ctx: ConsoleContext, query: OrderQuery, nextHref: string | undefined): Html {
  if (nextHref !== undefined)
    return emptyState(
      "None among the orders on this page",
      "There are more orders to look through.",
      linkButton("Continue", nextHref),
    );
  if (Object.keys(query.given).length > 0 || ctx.query.cursor !== undefined)
    return emptyState(
      "No orders match",
      "Check the spelling, or remove a filter. Live and test orders are in separate lists.",
      linkButton("Clear filters", here(ctx, ORDERS_PATH)),
    );
  return emptyState(
    "No orders yet",
    "Orders that resellers place through the API appear here. A reseller needs a key, money in its wallet and a product with a price.",
    linkButton("Open the resellers", here(ctx, "/resellers")),
  );
}
