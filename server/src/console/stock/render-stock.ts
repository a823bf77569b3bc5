import type { Job } from "../../jobs/list-jobs.ts";
import { COUNTED_MAX, type StockedProduct } from "../../suppliers/stock/list-stock.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { countText, moneyText } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { stack } from "../../web/parts/panel.ts";
import { smallLink } from "../../web/parts/small-form.ts";
import { time } from "../../web/parts/time.ts";
import { type Column, twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import { jobColumns } from "../jobs/render-jobs.ts";
import { wordChip } from "../plain-word.ts";
import { type ConsoleContext, may } from "../session.ts";

export type StockData = {
  data: readonly StockedProduct[];
  next: string | undefined;
  imports: readonly Job[];
  emails: ReadonlyMap<string, string>;
  /** Products with an open alert about their stock. */
  low: ReadonlySet<string>;
};

export const renderStock = (stock: StockData, ctx: ConsoleContext): PageContent => ({
  title: "Stock",
  subtitle: "Codes that you have imported. The one that expires first is sold first.",
  ...(may(ctx, "stock.manage")
    ? { actions: linkButton("Import codes", "/stock/import", { kind: "main" }) }
    : {}),
  body: stack(
    tablePanel({
      caption: "Stock by product",
      rows: stock.data,
      columns: columns(stock, ctx),
      empty: emptyState(
        "No stock yet",
        "Import a CSV file of codes for a product.",
        may(ctx, "stock.manage") ? linkButton("Import codes", "/stock/import") : undefined,
      ),
      pages: {
        path: "/stock",
        next: stock.next,
        hasFirst: ctx.query.cursor !== undefined,
        shown: `${stock.data.length} ${stock.data.length === 1 ? "product" : "products"}`,
      },
    }),
    tablePanel({
      title: "Latest imports",
      caption: "Latest imports",
      rows: stock.imports,
      columns: [...jobColumns(stock.emails, ctx), { head: "Codes", numeric: true, cell: importedText }],
      empty: emptyState("No imports in the last 90 days", "Imports by the command are not listed here."),
    }),
  ),
});

const columns = ({ low }: StockData, ctx: ConsoleContext): Column<StockedProduct>[] => [
  {
    head: "Product",
    wraps: true,
    cell: ({ productId, productName }) =>
      twoLines(html`<a href="/products/${productId}">${productName}</a>`, idText(productId)),
  },
  {
    head: "Supplier",
    cell: ({ supplierId, supplierName }) => html`<a href="/suppliers/${supplierId}">${supplierName}</a>`,
  },
  { head: "Available", numeric: true, cell: ({ available }) => availableText(available) },
  { head: "State", cell: ({ productId, available }) => stateOf(low.has(productId), available) },
  {
    head: "Next expiry",
    cell: ({ firstExpiry }) =>
      firstExpiry ? time(firstExpiry, ctx.now) : html`<span class="quiet">never</span>`,
  },
  { head: "Expire in 30 days", numeric: true, cell: ({ expiring }) => countText(expiring) },
  { head: "Value", numeric: true, cell: valueCell },
  ...(may(ctx, "stock.manage")
    ? [
        {
          head: html`<span class="hidden">Import</span>`,
          cell: ({ productId }: StockedProduct) =>
            smallLink("Import", href("/stock/import", { product: productId })),
        },
      ]
    : []),
];

/** What the codes cost, and one of them. */
export function valueCell({ value, costFrom, costTo, available }: StockedProduct): Html | string {
  const [first, ...others] = value;
  if (!first) return available === 0 ? "–" : "not known";
  const sums = value.map(({ currency, minor }) => moneyText(minor, currency)).join(", ");
  const total = available >= COUNTED_MAX ? `${sums}+` : sums;
  if (others.length > 0 || costFrom === null || costTo === null) return total;
  const to = costTo === costFrom ? "" : ` to ${moneyText(costTo, first.currency)}`;
  return twoLines(total, `${moneyText(costFrom, first.currency)}${to} each`);
}

const availableText = (available: number): string =>
  available >= COUNTED_MAX ? `${countText(COUNTED_MAX)}+` : countText(available);

const stateOf = (isLow: boolean, available: number): Html =>
  available === 0 ? wordChip("out_of_stock") : isLow ? chip("low") : chip("available", "good");

const importedText = ({ result }: Job): string =>
  typeof result?.imported === "number" ? countText(result.imported) : "–";
