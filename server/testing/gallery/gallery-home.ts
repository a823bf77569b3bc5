import { dayChart } from "../../src/web/chart/day-chart.ts";
import type { PageContent } from "../../src/web/layout/frame.ts";
import { linkButton } from "../../src/web/parts/button.ts";
import { chip } from "../../src/web/parts/chip.ts";
import { idText } from "../../src/web/parts/copy.ts";
import { countText, money, moneyText } from "../../src/web/parts/money.ts";
import { choice } from "../../src/web/parts/navigation.ts";
import { emptyState, toDoList } from "../../src/web/parts/notice.ts";
import { columns, panel, stack, statTiles } from "../../src/web/parts/panel.ts";
import { time } from "../../src/web/parts/time.ts";
import { tablePanel } from "../../src/web/table/table-panel.ts";
import { html } from "../../src/web/template/html.ts";
import { ago, galleryOrders, NOW } from "./gallery-data.ts";

const DAY_MS = 86_400_000;
const COUNTS = [
  410, 380, 520, 610, 580, 330, 290, 470, 550, 630, 700, 660, 400, 360, 580, 640, 720, 790, 750, 490,
];
const MORE = [440, 680, 740, 810, 880, 840, 570, 510, 770, 620];

export const chartDays = (count = 30) =>
  [...COUNTS, ...MORE].slice(-count).map((orders, index, all) => ({
    day: new Date(NOW.getTime() - (all.length - 1 - index) * DAY_MS),
    values: [orders, index % 9 === 3 ? 31 : index % 4],
    isPartial: index === all.length - 1,
  }));

/** What a reseller sees first: is it working, how much money is left, what needs me. */
export const galleryHome = (): PageContent => ({
  title: "Home",
  subtitle: "Everything is being fulfilled normally. One webhook endpoint needs you.",
  actions: [
    linkButton("Add funds", "/gallery/form"),
    linkButton("Create key", "/gallery/form", { kind: "main" }),
  ],
  body: stack(
    statTiles([
      {
        label: "Balance",
        value: "18,240.50",
        unit: "USD",
        note: "about 9 days at this week's rate",
        href: "/gallery/orders",
      },
      {
        label: "Orders today",
        value: countText(622),
        unit: "612 completed",
        note: "6 % more than last Sunday by now",
      },
      { label: "Fulfilled, 7 days", value: "99.4", unit: "%", note: "31 units refunded of 5,166" },
      { label: "Time to codes", value: "0.8", unit: "s median", note: "2.9 s for the slowest 5 %" },
    ]),
    columns(
      panel(
        {
          title: "Orders by day",
          aside: choice("Days", [
            { label: "14", href: "/gallery?days=14" },
            { label: "30", href: "/gallery?days=30", isCurrent: true },
            { label: "90 days", href: "/gallery?days=90" },
          ]),
        },
        dayChart({
          title: "Orders by day",
          kind: "bars",
          series: [
            { name: "Completed", tone: "accent" },
            { name: "Refunded", tone: "bad" },
          ],
          days: chartDays(),
        }),
      ),
      needsYou(),
    ),
    tablePanel({
      title: "Latest orders that were refunded, in whole or in part",
      aside: html`<a class="link" href="/gallery/orders">All orders</a>`,
      caption: "Refunded orders",
      empty: emptyState("No refunds", "All orders of the last 30 days were delivered whole."),
      rows: galleryOrders(3),
      columns: [
        { head: "Order", cell: ({ id }) => idText(id, { href: "/gallery/order", short: true }) },
        { head: "Reference", cell: ({ reference }) => reference },
        { head: "What", cell: ({ product }) => product },
        { head: "Why", cell: () => "out_of_stock" },
        { head: "Refunded", numeric: true, cell: ({ totalMinor }) => money(totalMinor, "USD") },
        { head: "When", cell: ({ at }) => time(at, NOW) },
      ],
    }),
  ),
});

const needsYou = () =>
  panel(
    { title: "Needs you", flush: true },
    toDoList([
      {
        chip: chip("failing"),
        what: "hooks.northwind.example",
        href: "/gallery/order",
        note: "No success for 26 hours; disabled in 3 days.",
      },
      {
        chip: chip("low", "warn"),
        what: "Wallet",
        href: "/gallery/order",
        note: `The balance is below your alert of ${moneyText(500_000n, "USD")}.`,
      },
      {
        chip: chip("ending", "quiet"),
        what: "Key sc_live_…4ET",
        href: "/gallery/order",
        note: "Ends in 12 days. Roll it or create another.",
      },
    ]),
  );

export const recently = ago(180);
