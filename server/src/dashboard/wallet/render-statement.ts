import { isPermitted } from "../../accounts/permissions.ts";
import type { EntryRow } from "../../wallet/queries.ts";
import type { WalletDay } from "../../wallet/sum-days.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { countText, money } from "../../web/parts/money.ts";
import { choice } from "../../web/parts/navigation.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { facts, panel, stack } from "../../web/parts/panel.ts";
import { dateText, dayText, exactTime } from "../../web/parts/time.ts";
import { table } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { type DashboardContext, environmentOf, here } from "../session.ts";
import { lastMonths, type Month } from "./read-filters.ts";
import { entryColumns, WALLET } from "./render-wallet.ts";

export type StatementData = {
  month: Month;
  reseller: string;
  currency: string;
  days: readonly WalletDay[];
  /** The entries of the month, where there are few enough to print; oldest first. */
  entries: readonly EntryRow[] | undefined;
};

const MONTHS_OFFERED = 12;

/** A month of the wallet on paper: what it began and ended with, every day, and each entry where they are few. */
export function renderStatement(data: StatementData, ctx: DashboardContext): PageContent {
  const { month, reseller, currency, entries } = data;
  const environment = environmentOf(ctx) === "test" ? " (test)" : "";
  return {
    title: `Statement of ${monthText(month)}`,
    subtitle: `${reseller}${environment}, amounts in ${currency}, days in UTC. Made ${exactTime(ctx.now)}.`,
    crumbs: [{ label: "Wallet", href: here(ctx, WALLET) }],
    ...(isPermitted(ctx.session.account, "wallet.export")
      ? {
          actions: linkButton("CSV", here(ctx, `${WALLET}/statement.csv`, { month: month.text }), {
            download: true,
          }),
        }
      : {}),
    body: stack(
      panel(
        { title: "Summary", flush: true },
        html`${chooseMonth(month, ctx)}<div class="body">${facts(summary(data, ctx), { areSums: true })}</div>`,
      ),
      byDay(data),
      entries === undefined
        ? panel(
            { title: "Entries" },
            html`<p>This month has too many entries to print. The CSV file has all of them.</p>`,
          )
        : panel(
            { title: "Entries", flush: true },
            table<EntryRow>({
              caption: "Entries",
              rows: entries,
              columns: [
                { head: "Time", cell: ({ createdAt }) => exactTime(createdAt) },
                ...entryColumns(ctx, { isShort: false }).slice(1),
              ],
              empty: emptyState("No entries", "Nothing was deposited, spent or refunded in this month."),
            }),
          ),
    ),
  };
}

const monthText = ({ first }: Month): string => dateText(first).slice(2);

/** The last year, and the month that is shown where it is an older one. */
const chooseMonth = (month: Month, ctx: DashboardContext): Html => {
  const offered = lastMonths(ctx.now, MONTHS_OFFERED);
  const listed = offered.some(({ text }) => text === month.text) ? offered : [...offered, month];
  return html`<div class="filters">${choice(
    "Month",
    listed.map((one) => ({
      label: monthText(one),
      href: here(ctx, `${WALLET}/statement`, { month: one.text }),
      isCurrent: one.text === month.text,
    })),
  )}</div>`;
};

function summary({ days, currency, month }: StatementData, ctx: DashboardContext): [string, HtmlValue][] {
  const sum = (of: (day: WalletDay) => bigint): bigint => days.reduce((all, day) => all + of(day), 0n);
  const orders = days.reduce((all, day) => all + day.orders, 0);
  const refunds = days.reduce((all, day) => all + day.refunds, 0);
  const isOver = month.first.getTime() + month.days * 86_400_000 <= ctx.now.getTime();
  return [
    [`Balance on ${dateText(month.first)}`, money(days[0]?.openingMinor ?? 0n, currency)],
    [
      "Deposits",
      money(
        sum(({ depositedMinor }) => depositedMinor),
        currency,
      ),
    ],
    [
      `${countText(orders)} orders less ${countText(refunds)} refunds`,
      money(-sum(({ spentMinor }) => spentMinor), currency),
    ],
    [
      "Adjustments",
      money(
        sum(({ adjustedMinor }) => adjustedMinor),
        currency,
      ),
    ],
    [isOver ? "Balance at the end" : "Balance so far", money(days.at(-1)?.closingMinor ?? 0n, currency)],
  ];
}

const byDay = ({ days, currency }: StatementData): Html =>
  tablePanel<WalletDay>({
    title: "By day",
    caption: "By day",
    rows: days.filter(hasMoved),
    empty: emptyState("No movements", "Nothing was deposited, spent or refunded in this month."),
    columns: [
      { head: "Day", cell: ({ day }) => dayText(day) },
      { head: "Orders", numeric: true, cell: ({ orders }) => countText(orders) },
      { head: "Refunds", numeric: true, cell: ({ refunds }) => countText(refunds) },
      { head: "Spent less refunds", numeric: true, cell: ({ spentMinor }) => money(spentMinor, currency) },
      { head: "Deposits", numeric: true, cell: ({ depositedMinor }) => money(depositedMinor, currency) },
      {
        head: "Balance at the end",
        numeric: true,
        cell: ({ closingMinor }) => money(closingMinor, currency),
      },
    ],
  });

const hasMoved = ({ orders, refunds, depositedMinor, adjustedMinor }: WalletDay): boolean =>
  orders > 0 || refunds > 0 || depositedMinor !== 0n || adjustedMinor !== 0n;
