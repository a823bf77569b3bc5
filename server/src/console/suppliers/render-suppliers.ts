import type { SupplierSummary } from "../../suppliers/health-queries.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { countText, money } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { type ConsoleContext, may } from "../session.ts";
import { kindName } from "./kind-name.ts";

export const renderSuppliers = (suppliers: readonly SupplierSummary[], ctx: ConsoleContext): PageContent => ({
  title: "Suppliers",
  subtitle: "Resellers never see a supplier or a cost.",
  ...(may(ctx, "suppliers.manage")
    ? { actions: linkButton("Add a supplier", "/suppliers/new", { kind: "main" }) }
    : {}),
  body: tablePanel({
    caption: "Suppliers",
    rows: suppliers,
    columns: [
      {
        head: "Supplier",
        wraps: true,
        cell: ({ id, name }) => twoLines(html`<a href="/suppliers/${id}">${name}</a>`, idText(id)),
      },
      { head: "Kind", cell: ({ kind }) => kindName(kind) },
      { head: "State", cell: (supplier) => supplierState(supplier, ctx) },
      { head: "Balance", numeric: true, cell: (supplier) => balanceCell(supplier, ctx) },
      { head: "Open purchases", numeric: true, cell: ({ openPurchases }) => countText(openPurchases) },
      { head: "Routes", numeric: true, cell: ({ routes }) => countText(routes) },
    ],
    empty: emptyState(
      "No suppliers yet",
      "The first import of stock makes one. Choose Add a supplier to buy from another service.",
    ),
  }),
});

type Breaker = { enabled: boolean; consecutiveFailures: number; openUntil: Date | null };

/** Enabled, disabled, or paused by its circuit breaker. */
export function supplierState(
  { enabled, consecutiveFailures, openUntil }: Breaker,
  ctx: ConsoleContext,
): Html {
  if (!enabled) return chip("disabled");
  if (openUntil === null || consecutiveFailures === 0) return chip("healthy");
  return openUntil > ctx.now
    ? twoLines(chip("failing"), html`paused, next try ${time(openUntil, ctx.now)}`)
    : twoLines(chip("failing"), "tries again with the next order");
}

const balanceCell = (
  { balanceMinor, balanceCurrency, balanceAt, balanceLowMinor, hasOwnStock }: SupplierSummary,
  ctx: ConsoleContext,
): HtmlValue => {
  if (hasOwnStock) return undefined;
  if (balanceMinor === null || balanceCurrency === null || balanceAt === null)
    return html`<span class="quiet">not known</span>`;
  const isLow = balanceLowMinor !== null && balanceMinor < balanceLowMinor;
  const told = html`${isLow ? html`${chip("low")} ` : undefined}${time(balanceAt, ctx.now)}`;
  return twoLines(money(balanceMinor, balanceCurrency), told);
};
