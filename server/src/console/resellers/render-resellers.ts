import type { ResellerSales } from "../../reports/sum-resellers.ts";
import type { ResellerPage } from "../../resellers/list-resellers.ts";
import type { ListedReseller } from "../../resellers/queries.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { environmentOf, here } from "../../web/pages/here.ts";
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
import { type ConsoleContext, may } from "../session.ts";

export type ResellersData = {
  page: ResellerPage;
  q: string;
  /** Of the last 30 days, by reseller. */
  sales: ReadonlyMap<string, ResellerSales>;
};

export const renderResellers = ({ page, q, sales }: ResellersData, ctx: ConsoleContext): PageContent => ({
  title: "Resellers",
  subtitle: "Those who sell your products, with what their wallets hold.",
  ...(may(ctx, "resellers.manage")
    ? { actions: linkButton("New reseller", here(ctx, "/resellers/new"), { kind: "main" }) }
    : {}),
  body: resellersPanel(page, q, ctx, {
    path: "/resellers",
    hrefOf: ({ id }) => here(ctx, `/resellers/${id}`),
    sales,
  }),
});

type ListOptions = {
  path: string;
  hrefOf: (reseller: ListedReseller) => string;
  sales?: ReadonlyMap<string, ResellerSales>;
};

const salesColumns = (sales: ReadonlyMap<string, ResellerSales>): Column<ListedReseller>[] => [
  {
    head: "Orders, 30 days",
    numeric: true,
    cell: ({ id }) => countText(sales.get(id)?.orders ?? 0n),
  },
  {
    head: "Sales, 30 days",
    numeric: true,
    cell: ({ id, currency }) => money(salesOf(sales.get(id)), currency),
  },
];

/** What was sold less what was refunded. */
export const salesOf = (sales: ResellerSales | undefined): bigint =>
  sales === undefined ? 0n : sales.soldMinor - sales.refundedMinor;

/** Resellers to look at or to choose from. */
export const resellersPanel = (
  page: ResellerPage,
  q: string,
  ctx: ConsoleContext,
  { path, hrefOf, sales }: ListOptions,
): Html =>
  tablePanel({
    caption: "Resellers",
    rows: page.data,
    filters: filterBar({
      action: path,
      filters: [{ kind: "search", name: "q", label: "Search", value: q, placeholder: "Name, email or id" }],
      keep: environmentOf(ctx) === "test" ? { env: "test" } : {},
    }),
    columns: [
      {
        head: "Reseller",
        wraps: true,
        cell: (reseller) =>
          twoLines(
            html`<a class="link" href="${hrefOf(reseller)}">${reseller.name}</a>`,
            idText(reseller.id, { short: true }),
          ),
      },
      { head: "State", cell: ({ frozenAt }) => chip(frozenAt === null ? "active" : "frozen") },
      {
        head: "Balance",
        numeric: true,
        cell: ({ balanceMinor, currency }) => money(balanceMinor, currency),
      },
      ...(sales === undefined ? [] : salesColumns(sales)),
      { head: "Price list", cell: ({ priceList }) => priceList },
      { head: "Email", wraps: true, cell: ({ email }) => email },
      { head: "Created", cell: ({ createdAt }) => time(createdAt, ctx.now) },
    ],
    empty:
      q === ""
        ? emptyState(
            "No resellers yet",
            may(ctx, "resellers.manage")
              ? "Create one, then invite its owner and credit its wallet."
              : "An admin can create one.",
          )
        : emptyState("Nothing found", "No reseller has this id, or this text in its name or email."),
    pages: {
      path: here(ctx, path, { q }),
      next: page.nextCursor,
      hasFirst: ctx.query.cursor !== undefined,
      shown: `${page.data.length} ${page.data.length === 1 ? "reseller" : "resellers"}`,
    },
  });
