import type { OrderView } from "../../orders/schemas.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { countText, money } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { time } from "../../web/parts/time.ts";
import { type Column, twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import { BASE, type DashboardContext, here, placed } from "../session.ts";
import { listQuery, type OrderQuery, orderFilters } from "./order-query.ts";

export const ORDERS_PATH = `${BASE}/orders`;

export const orderHref = (ctx: DashboardContext, id: string): string =>
  here(ctx, `${ORDERS_PATH}/${encodeURIComponent(id)}`);

export type OrdersPage = { query: OrderQuery; data: readonly OrderView[]; nextCursor: string };

export function renderOrders({ query, data, nextCursor }: OrdersPage, ctx: DashboardContext): PageContent {
  const path = here(ctx, ORDERS_PATH, listQuery(query));
  const next = nextCursor === "" ? undefined : nextCursor;
  return {
    title: "Orders",
    ...(data.length === 0
      ? {}
      : {
          actions: linkButton("Export CSV", here(ctx, `${ORDERS_PATH}.csv`, listQuery(query)), {
            download: true,
          }),
        }),
    body: tablePanel({
      caption: "Orders",
      columns: columns(ctx),
      rows: data,
      empty: nothing(ctx, query, next && href(path, { cursor: next })),
      filters: filterBar({
        action: placed(ctx, ORDERS_PATH),
        filters: orderFilters(query),
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

const columns = (ctx: DashboardContext): Column<OrderView>[] => [
  { head: "Status", cell: ({ status }) => chip(status) },
  { head: "Order", cell: ({ id }) => idText(id, { short: true, href: orderHref(ctx, id) }) },
  { head: "Products", wraps: true, cell: ({ lines }) => productsOf(lines) },
  { head: "Reference", wraps: true, cell: ({ reference }) => reference },
  { head: "Total", numeric: true, cell: totalOf },
  { head: "Placed", cell: ({ createdAt }) => time(new Date(createdAt), ctx.now) },
];

/** The first line and how many more there are: enough to recognise an order. */
function productsOf(lines: OrderView["lines"]): Html {
  const [first, ...others] = lines;
  const named = html`${countText(first?.quantity ?? 0)} × ${first?.name}`;
  if (others.length === 0) return named;
  return twoLines(named, `and ${others.length} more ${others.length === 1 ? "line" : "lines"}`);
}

function totalOf({ total, refundedTotal, status }: OrderView): Html {
  const shown = money(BigInt(total.amount), total.currency);
  if (refundedTotal.amount === 0 || status === "refunded") return shown;
  return twoLines(shown, html`${money(BigInt(refundedTotal.amount), total.currency)} refunded`);
}

function nothing(ctx: DashboardContext, query: OrderQuery, nextHref: string | undefined): Html {
  if (nextHref !== undefined)
    return emptyState(
      "None among the orders on this page",
      "There are more orders to look through.",
      linkButton("Continue", nextHref),
    );
  if (Object.keys(query.given).length > 0 || query.search !== undefined || ctx.query.cursor !== undefined)
    return emptyState(
      "No orders match",
      "Check the spelling, or remove a filter. Live and test orders are in separate lists.",
      linkButton("Clear filters", here(ctx, ORDERS_PATH)),
    );
  return emptyState(
    "No orders yet",
    "Orders that you place through the API appear here. To see one now, try a product of the catalog.",
    linkButton("Open the catalog", here(ctx, `${BASE}/catalog`)),
  );
}
