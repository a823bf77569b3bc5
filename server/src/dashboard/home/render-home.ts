import type { OrderRow } from "../../orders/queries.ts";
import { dayOf } from "../../wallet/sum-days.ts";
import { type DayChartOptions, dayChart } from "../../web/chart/day-chart.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { countText, money, moneyText } from "../../web/parts/money.ts";
import { choice } from "../../web/parts/navigation.ts";
import { emptyState, toDoList } from "../../web/parts/notice.ts";
import { facts, halves, panel, stack, statTiles } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { KEYS } from "../keys/render-keys.ts";
import { BASE, type DashboardContext, environmentOf, here } from "../session.ts";
import { balanceTile, WALLET } from "../wallet/render-wallet.ts";
import { type Alert, findNeeds, type Need } from "./find-needs.ts";
import { DAYS_OFFERED, type HomeData } from "./load-home.ts";
import { durationOf, isIdle, rateText, stateSentence } from "./say-state.ts";

/** Is it working, how much money is left and for how long, what needs me. */
export function renderHome(data: HomeData & Alert, ctx: DashboardContext): PageContent {
  const needs = findNeeds(data, ctx.now);
  return {
    title: "Home",
    subtitle: stateSentence(data, needs.length, ctx.now),
    actions: [
      linkButton("Catalog", here(ctx, `${BASE}/catalog`)),
      linkButton("Orders", here(ctx, `${BASE}/orders`), { kind: "main" }),
    ],
    body: stack(
      tiles(data, ctx),
      needs.length === 0 ? undefined : needsPanel(needs, ctx),
      isIdle(data) ? getStarted(data, ctx) : halves(ordersPanel(data, ctx), spendPanel(data, ctx)),
      failedPanel(data.failed, ctx),
    ),
  };
}

function tiles(data: HomeData, ctx: DashboardContext): Html {
  const { balanceMinor, currency, runway, summary } = data;
  const today = summary.days.at(-1);
  const { medianMs, p95Ms } = summary;
  return statTiles([
    { ...balanceTile(balanceMinor, currency, runway), href: here(ctx, WALLET) },
    {
      label: "Orders today",
      value: countText(today?.orders ?? 0),
      note: today ? `${moneyText(today.spentMinor, currency)} spent` : undefined,
      href: here(ctx, `${BASE}/orders`),
    },
    {
      label: "Success rate",
      ...rateText(summary),
    },
    {
      label: "Time to fulfil",
      value: medianMs === null ? "–" : durationOf(medianMs),
      ...(medianMs === null ? {} : { unit: "median" }),
      note: p95Ms === null ? "no completed orders yet" : `95 % within ${durationOf(p95Ms)}`,
    },
  ]);
}

/** What a reseller who has not ordered lately can do, in order. */
const getStarted = ({ span }: HomeData, ctx: DashboardContext): Html =>
  panel(
    { title: "Get started", aside: spanChoice(span, ctx) },
    facts([
      ["Create a key", html`${link(ctx, KEYS, "API keys")} shows it once, with a command to try it.`],
      ["Try a product", html`${link(ctx, `${BASE}/catalog`, "Catalog")} places a test order for you.`],
      [
        "Get told",
        html`${link(ctx, `${BASE}/webhooks`, "Webhooks")} sends an event when an order is fulfilled.`,
      ],
    ]),
  );

const link = (ctx: DashboardContext, path: string, label: string): Html =>
  html`<a class="link" href="${here(ctx, path)}">${label}</a>`;

const BEHIND_NOTE = html`<span class="quiet">The newest orders are still being counted.</span>`;

const spanChoice = (span: number, ctx: DashboardContext): Html =>
  choice(
    "Days",
    DAYS_OFFERED.map((days) => ({
      label: days === 90 ? "90 days" : String(days),
      href: here(ctx, BASE, { days }),
      isCurrent: days === span,
    })),
  );

const spendPanel = (data: HomeData, ctx: DashboardContext): Html =>
  panel(
    { title: "Spend by day", aside: html`<span class="quiet">orders less refunds</span>` },
    dayChart(chartOf(data, ctx.now, "spend")),
  );

const ordersPanel = (data: HomeData, ctx: DashboardContext): Html =>
  panel(
    {
      title: "Orders by day",
      aside: spanChoice(data.span, ctx),
      ...(data.summary.isBehind ? { foot: BEHIND_NOTE } : {}),
    },
    dayChart(chartOf(data, ctx.now, "orders")),
  );

function chartOf(
  { summary: { days }, currency }: HomeData,
  now: Date,
  of: "orders" | "spend",
): DayChartOptions {
  const today = dayOf(now).getTime();
  return {
    title: of === "orders" ? "Orders by day" : "Spend by day",
    kind: "bars",
    series: [{ name: of === "orders" ? "Orders" : "Spend", tone: "accent" }],
    days: days.map(({ day, orders, spentMinor }) => ({
      day,
      values: [of === "orders" ? orders : Number(spentMinor)],
      isPartial: day.getTime() === today,
    })),
    ...(of === "spend" ? { format: (value: number) => moneyText(BigInt(Math.round(value)), currency) } : {}),
  };
}

const needsPanel = (needs: readonly Need[], ctx: DashboardContext): Html =>
  panel(
    { title: "Needs you", flush: true },
    toDoList(needs.map((need) => ({ ...need, href: here(ctx, need.path) }))),
  );

const failedPanel = (failed: readonly OrderRow[], ctx: DashboardContext): Html =>
  tablePanel<OrderRow>({
    title: "Last failed orders",
    aside: html`<a class="link" href="${here(ctx, `${BASE}/orders`, { status: "refunded" })}">All refunded orders</a>`,
    caption: "Last failed orders",
    rows: failed,
    empty: emptyState(
      "No failed orders",
      environmentOf(ctx) === "test"
        ? "Orders that fail or are refunded are listed here. The scenario refunded makes one."
        : "Orders that fail or are refunded are listed here.",
    ),
    columns: [
      {
        head: "Order",
        cell: ({ id }) =>
          idText(id, { href: here(ctx, `${BASE}/orders/${encodeURIComponent(id)}`), short: true }),
      },
      { head: "Status", cell: ({ status }) => chip(status) },
      { head: "Reference", cell: ({ reference }) => reference },
      { head: "What", wraps: true, cell: whatOf },
      {
        head: "Why",
        cell: whyOf,
      },
      { head: "Total", numeric: true, cell: ({ totalMinor, currency }) => money(totalMinor, currency) },
      { head: "When", cell: ({ createdAt }) => time(createdAt, ctx.now) },
    ],
  });

/** An order that was delivered and refunded afterwards has no unit that failed. */
function whyOf({ lines }: OrderRow): Html {
  const code = lines.find(({ failureCode }) => failureCode)?.failureCode;
  return code ? html`<code>${code}</code>` : html`<span class="quiet">refunded after delivery</span>`;
}

function whatOf({ lines }: OrderRow): HtmlValue {
  const [first] = lines ?? [];
  if (!first) return undefined;
  const more = lines.length - 1;
  return html`${first.name} × ${first.quantity}${more > 0 ? html` <span class="quiet">and ${more} more</span>` : undefined}`;
}
