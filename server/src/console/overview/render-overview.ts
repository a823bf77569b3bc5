import type { SaleCount } from "../../pricing/not-for-sale.ts";
import { isConverted, keptOf, marginOf, sumParts } from "../../reports/margin-of.ts";
import { COUNTED_MAX } from "../../reports/needs-queries.ts";
import type { BusinessOverview, OverviewSpan } from "../../reports/read-overview.ts";
import type { LineSums, OrderSums } from "../../reports/report-queries.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { countText, moneyText } from "../../web/parts/money.ts";
import { choice } from "../../web/parts/navigation.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { halves, panel, type StatTile, stack, statTiles } from "../../web/parts/panel.ts";
import { exactTime, spanText } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { saleLinks } from "../prices/not-for-sale-page.ts";
import { shareText, timeText } from "../reports/render-report.ts";
import { timeChart } from "../reports/time-series.ts";
import type { ConsoleContext } from "../session.ts";
import { listNeeds, type Need, type NeedsData } from "./list-needs.ts";

export type OverviewData = NeedsData & {
  span: OverviewSpan;
  business: BusinessOverview;
  /** What cannot be bought, by reason. */
  unsold: readonly SaleCount[];
};

/** Charts of more currencies would be a wall; the reports have all of them. */
const CURRENCIES_CHARTED_MAX = 3;

/** How it goes, and what needs a person now. */
export function renderOverview(data: OverviewData, ctx: ConsoleContext): PageContent {
  const { span, business } = data;
  const list = listNeeds(data, ctx.now);
  return {
    title: "Overview",
    subtitle: `${sentence(list.length)} ${completeness(business)}`,
    body: stack(
      needsPanel(list, business, ctx),
      data.unsold.length === 0 ? undefined : panel({ title: "Not for sale" }, saleLinks(data.unsold)),
      tiles(business, ctx),
      ordersPanel(business, span, ctx),
      ...moneyPanels(business, span, ctx),
    ),
  };
}

const sentence = (count: number): string => {
  if (count === 0) return "Nothing needs you.";
  return count === 1 ? "One thing needs you." : `${countText(count)} things need you.`;
};

const completeness = ({ completeUntil }: BusinessOverview): string =>
  completeUntil === undefined
    ? "Nothing has been counted yet: a worker does it."
    : `Numbers are complete up to ${exactTime(completeUntil)}.`;

function tiles({ today, todayLines, medianMs, p95Ms }: BusinessOverview, ctx: ConsoleContext): Html {
  const total = (of: "orders" | "completed" | "completedInPart" | "failed"): bigint =>
    today.reduce((sum, one) => sum + one[of], 0n);
  const failed = total("failed") + total("completedInPart");
  return statTiles([
    {
      label: "Orders today",
      value: countText(total("orders")),
      note: `${countText(total("completed"))} completed, ${countText(failed)} failed in whole or part`,
      href: here(ctx, "/reports/sales", { by: "hour" }),
    },
    revenueTile(today, ctx),
    marginTile(todayLines, ctx),
    {
      label: "Time to fulfil today",
      value: medianMs === undefined ? "–" : timeText(medianMs),
      ...(medianMs === undefined ? {} : { unit: "median" }),
      note: p95Ms === undefined ? "no completed orders yet" : `95 % within ${timeText(p95Ms)}`,
      href: here(ctx, "/reports/fulfilment", { by: "hour" }),
    },
  ]);
}

const depth = (count: number): string =>
  count > COUNTED_MAX ? `${countText(COUNTED_MAX)}+` : countText(count);

/** What the workers have before them. */
function queueText({ queues }: BusinessOverview, ctx: ConsoleContext): Html {
  const { dueOrders, oldestDueAt, waitingDeliveries } = queues;
  const age = oldestDueAt === null ? undefined : Math.max(0, ctx.now.getTime() - oldestDueAt.getTime());
  return html`<a class="link" href="${here(ctx, "/stuck")}">${depth(dueOrders)} ${dueOrders === 1 ? "order" : "orders"} due${
    age === undefined ? undefined : ` for ${spanText(age)}`
  }, ${depth(waitingDeliveries)} ${waitingDeliveries === 1 ? "delivery waits" : "deliveries wait"}</a>`;
}

const amount = (minor: bigint, currency: string): string =>
  moneyText(minor, currency).slice(0, -currency.length - 1);

/** The largest currency is the number, the others are its note. */
function revenueTile(today: readonly OrderSums[], ctx: ConsoleContext): StatTile {
  const href = here(ctx, "/reports/sales");
  const [first, ...rest] = today
    .filter(({ soldMinor, refundedMinor }) => soldMinor !== 0n || refundedMinor !== 0n)
    .toSorted((a, b) => (a.orders === b.orders ? 0 : a.orders < b.orders ? 1 : -1));
  if (!first) return { label: "Revenue today", value: "–", note: "no sales yet", href };
  const net = ({ soldMinor, refundedMinor }: OrderSums): bigint => soldMinor - refundedMinor;
  return {
    label: "Revenue today",
    ...{ value: amount(net(first), first.currency), unit: first.currency, href },
    note:
      rest.length === 0
        ? "orders less refunds"
        : `and ${rest.map((one) => moneyText(net(one), one.currency)).join(", ")}`,
  };
}

function marginTile(lines: readonly LineSums[], ctx: ConsoleContext): StatTile {
  const href = here(ctx, "/reports/margin");
  const known = [...Map.groupBy(lines, ({ currency }) => currency)].flatMap(([currency, rows]) => {
    const minor = marginOf(sumParts(rows));
    const units = rows.reduce((sum, { deliveredUnits }) => sum + deliveredUnits, 0n);
    return minor === undefined ? [] : [{ currency, minor, kept: keptOf(sumParts(rows)), units, rows }];
  });
  const [first, ...rest] = known.toSorted((a, b) => (a.units === b.units ? 0 : a.units < b.units ? 1 : -1));
  if (!first)
    return { label: "Margin today", value: "–", note: "no delivered order with a known cost yet", href };
  const share =
    first.kept <= 0n ? "" : `${shareText((first.minor * 1_000n) / first.kept)} of what was delivered`;
  const converted = known.some(({ rows }) => isConverted(rows)) ? "costs converted" : "";
  return {
    label: "Margin today",
    ...{ value: amount(first.minor, first.currency), unit: first.currency, href },
    note: [share, converted, ...rest.map(({ minor, currency }) => moneyText(minor, currency))]
      .filter(Boolean)
      .join("; "),
  };
}

const spanChoice = ({ by }: OverviewSpan, ctx: ConsoleContext): Html =>
  choice("Span", [
    { label: "48 hours", href: here(ctx, "/", { by: "hour" }), isCurrent: by === "hour" },
    { label: "30 days", href: here(ctx, "/"), isCurrent: by === "day" },
  ]);

function ordersPanel({ orders }: BusinessOverview, span: OverviewSpan, ctx: ConsoleContext): Html {
  const values = new Map<string, bigint>();
  for (const { key, orders: count } of orders) values.set(key, (values.get(key) ?? 0n) + count);
  const title = `Orders by ${span.by}`;
  return panel(
    { title, aside: spanChoice(span, ctx) },
    timeChart(span, { title, name: "Orders", values }, ctx.now),
  );
}

/** Revenue and margin of each currency, beside each other. */
function moneyPanels({ orders, lines }: BusinessOverview, span: OverviewSpan, ctx: ConsoleContext): Html[] {
  const weights = new Map<string, bigint>();
  for (const { currency, orders: count } of orders)
    weights.set(currency, (weights.get(currency) ?? 0n) + count);
  const currencies = [...weights]
    .toSorted(([, a], [, b]) => (a === b ? 0 : a < b ? 1 : -1))
    .slice(0, CURRENCIES_CHARTED_MAX)
    .map(([currency]) => currency);
  return currencies.map((currency) => {
    const revenue = new Map<string, bigint>();
    for (const one of orders)
      if (one.currency === currency) revenue.set(one.key, one.soldMinor - one.refundedMinor);
    const margin = new Map<string, bigint>();
    const sold = lines.filter((one) => one.currency === currency);
    for (const [key, rows] of Map.groupBy(sold, (one) => one.key)) {
      const minor = marginOf(sumParts(rows));
      if (minor !== undefined) margin.set(key, minor);
    }
    const chart = (name: string, values: Map<string, bigint>, note: string): Html => {
      const title = `${name} by ${span.by}, ${currency}`;
      return panel(
        { title, aside: html`<span class="quiet">${note}</span>` },
        timeChart(span, { title, name, values, currency }, ctx.now),
      );
    };
    return halves(
      chart("Revenue", revenue, "orders less refunds"),
      chart("Margin", margin, isConverted(sold) ? "of ended orders, costs converted" : "of ended orders"),
    );
  });
}

const needsPanel = (needs: readonly Need[], business: BusinessOverview, ctx: ConsoleContext): Html =>
  tablePanel<Need>({
    title: "Needs you",
    aside: queueText(business, ctx),
    caption: "What needs you",
    id: "needs",
    live: true,
    rows: needs,
    empty: emptyState("Nothing needs you", "Purchases, refunds, suppliers, stock and endpoints are fine."),
    columns: [
      { head: "State", cell: (need) => need.chip },
      {
        head: "What",
        wraps: true,
        cell: ({ what, path, note }) =>
          twoLines(html`<a class="link" href="${here(ctx, path)}">${what}</a>`, note),
      },
    ],
  });
