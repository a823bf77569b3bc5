import { isPermitted } from "../../accounts/permissions.ts";
import { formatAmount } from "../../lib/money.ts";
import type { StatementPage } from "../../wallet/list-statement.ts";
import type { EntryRow } from "../../wallet/queries.ts";
import type { Runway } from "../../wallet/runway.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip, type Tone } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { countText, money, moneyText } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { type StatTile, stack, statTiles } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import type { Column } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { BASE, type DashboardContext, environmentOf, here, placed } from "../session.ts";
import { ENTRY_TYPES, type TypedFilters } from "./read-filters.ts";

export const WALLET = `${BASE}/wallet`;

export type WalletData = {
  balanceMinor: bigint;
  currency: string;
  runway: Runway;
  /** The balance below which people get a letter; null for none. */
  belowMinor: bigint | null;
  /** How many orders were paid in the last seven days. */
  orders: number;
  page: StatementPage;
  typed: TypedFilters;
};

/** What is left, and every movement with the balance after it. */
export function renderWallet(data: WalletData, ctx: DashboardContext): PageContent {
  const { balanceMinor, currency, runway, orders, page, typed } = data;
  const mayExport = isPermitted(ctx.session.account, "wallet.export");
  return {
    title: "Wallet",
    subtitle: "Orders are paid when they are accepted. What cannot be delivered is refunded.",
    actions: [
      linkButton("Deposits", here(ctx, `${BASE}/deposits`)),
      linkButton("Monthly statement", here(ctx, `${WALLET}/statement`)),
    ],
    body: stack(
      statTiles([
        balanceTile(balanceMinor, currency, runway),
        {
          label: "Spent, 7 days",
          value: decimals(runway.spentMinor, currency),
          unit: currency,
          note: "orders less refunds",
        },
        { label: "Orders, 7 days", value: countText(orders), note: "paid from this wallet" },
        alertTile(data, ctx),
      ]),
      tablePanel<EntryRow>({
        title: "Statement",
        caption: "Statement",
        rows: page.data,
        filters: filters(typed, ctx),
        columns: entryColumns(ctx),
        empty: isFiltered(typed)
          ? emptyState("No entries match", "Change or clear the filters.")
          : emptyState(
              "No entries yet",
              "Deposits, orders and refunds are listed here with the balance after each.",
            ),
        pages: {
          path: here(ctx, WALLET, typed),
          next: page.nextCursor,
          hasFirst: ctx.query.cursor !== undefined,
        },
        ...(mayExport ? { csvHref: here(ctx, `${WALLET}/entries.csv`, typed) } : {}),
      }),
    ),
  };
}

const decimals = (amountMinor: bigint, currency: string): string =>
  moneyText(amountMinor, currency).slice(0, -currency.length - 1);

export const balanceTile = (balanceMinor: bigint, currency: string, runway: Runway) => ({
  label: "Balance",
  value: decimals(balanceMinor, currency),
  unit: currency,
  note: runwayText(runway),
});

function alertTile({ belowMinor, balanceMinor, currency }: WalletData, ctx: DashboardContext): StatTile {
  const mayChange = isPermitted(ctx.session.account, "wallet.alert");
  const change = mayChange
    ? html`<a class="link" href="${here(ctx, `${WALLET}/alert`)}">Change</a>`
    : undefined;
  const note =
    belowMinor === null
      ? "nobody is told"
      : balanceMinor < belowMinor
        ? "the balance is below it"
        : "one message each time it is crossed";
  return {
    label: "Low-balance alert",
    value: belowMinor === null ? "off" : decimals(belowMinor, currency),
    ...(belowMinor === null ? {} : { unit: currency }),
    note: html`${note}${change === undefined ? undefined : html`. ${change}`}`,
  };
}

export function runwayText({ days }: Runway): string {
  if (days === undefined) return "nothing was spent this week";
  if (days === 0) return "less than a day at this week's rate";
  return `about ${days} ${days === 1 ? "day" : "days"} at this week's rate`;
}

const isFiltered = (typed: TypedFilters): boolean => Object.values(typed).some((value) => value !== "");

const filters = (typed: TypedFilters, ctx: DashboardContext): Html =>
  filterBar({
    action: placed(ctx, WALLET),
    keep: environmentOf(ctx) === "test" ? { env: "test" } : {},
    filters: [
      {
        kind: "select",
        name: "type",
        label: "Type",
        value: typed.type,
        options: ENTRY_TYPES.map((type) => [type, type] as const),
      },
      { kind: "search", name: "orderId", label: "Order", value: typed.orderId, placeholder: "ord_…" },
      { kind: "date", name: "from", label: "From", value: typed.from },
      { kind: "date", name: "to", label: "To", value: typed.to },
    ],
  });

const TONES: Readonly<Record<EntryRow["type"], Tone>> = {
  deposit: "good",
  order: "quiet",
  refund: "warn",
  adjustment: "wait",
};

/** On paper an id is whole: nobody can copy it from there. */
export const entryColumns = (ctx: DashboardContext, { isShort } = { isShort: true }): Column<EntryRow>[] => [
  { head: "When", cell: ({ createdAt }) => time(createdAt, ctx.now) },
  { head: "Type", cell: ({ type }) => chip(type, TONES[type]) },
  { head: "Details", wraps: true, cell: (row) => details(row, ctx, isShort) },
  { head: "Amount", numeric: true, cell: ({ amountMinor, currency }) => money(amountMinor, currency) },
  {
    head: "Balance after",
    numeric: true,
    cell: ({ balanceAfterMinor, currency }) => money(balanceAfterMinor, currency),
  },
];

const details = ({ orderId, note }: EntryRow, ctx: DashboardContext, short: boolean): Html =>
  html`${
    orderId === null
      ? undefined
      : idText(orderId, { href: here(ctx, `${BASE}/orders/${encodeURIComponent(orderId)}`), short })
  }${note === null ? undefined : html` <span>${note}</span>`}`;

export const CSV_HEADS = [
  "time",
  "type",
  "amount",
  "balance_after",
  "currency",
  "order_id",
  "note",
  "entry_id",
];

export const csvCells = (row: EntryRow): string[] => [
  row.createdAt.toISOString(),
  row.type,
  formatAmount(row.amountMinor, row.currency),
  formatAmount(row.balanceAfterMinor, row.currency),
  row.currency,
  row.orderId ?? "",
  row.note ?? "",
  row.id,
];
