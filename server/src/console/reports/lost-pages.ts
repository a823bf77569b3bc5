import {
  LOST_COLUMNS,
  type LostCause,
  type LostPurchase,
  type LostScope,
  type LostSum,
  listLost,
  lostCells,
  sumLost,
} from "../../reports/list-lost.ts";
import { nameSuppliers } from "../../suppliers/queries.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { idText } from "../../web/parts/copy.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { countText, money } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { stack } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { csvFile } from "../../web/table/csv-file.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type HtmlValue, html } from "../../web/template/html.ts";
import type { ConsoleContext, ConsoleDeps, ConsoleFace } from "../session.ts";
import { askedQuery, readAsked, scopeOf } from "./read-scope.ts";
import { REPORTS, reportTabs } from "./render-report.ts";

const LOST = `${REPORTS}/lost`;
/** A page of more rows helps nobody; the file has all of them. */
const PURCHASES_SHOWN_MAX = 500;

const CAUSES: Readonly<Record<LostCause, string>> = {
  quarantine: "Bought, and nobody got it",
  duplicate: "Paid twice: a code that was sold to us before, or a purchase charged again",
  overcharge: "Charged too much, or in another currency",
  reversal: "Taken back after delivery",
};

type LostData = {
  sums: readonly LostSum[];
  purchases: readonly LostPurchase[];
  suppliers: ReadonlyMap<string, string>;
};

/** What was paid for nothing or too much, by supplier and cause, and as a file for the supplier. */
export function lostPages(face: ConsoleFace, { db }: ConsoleDeps): void {
  face.page({
    path: LOST,
    permission: "reports.read",
    load: async (ctx): Promise<LostData> => {
      const scope = lostScope(ctx);
      const [sums, purchases, suppliers] = await Promise.all([
        sumLost(db, scope),
        listLost(db, scope, PURCHASES_SHOWN_MAX),
        nameSuppliers(db),
      ]);
      return { sums, purchases, suppliers };
    },
    render: renderLost,
  });
  face.download({
    path: `${LOST}/report.csv`,
    permission: "reports.read",
    load: async (ctx) => lostCsv(await listLost(db, lostScope(ctx)), asked(ctx)),
  });
}

const asked = (ctx: ConsoleContext) => readAsked(ctx, "margin");

function lostScope(ctx: ConsoleContext): LostScope {
  const { from, to, member } = scopeOf(ctx, asked(ctx));
  return { from, to, supplierId: member?.of === "supplier" ? member.id : undefined };
}

function renderLost({ sums, purchases, suppliers }: LostData, ctx: ConsoleContext): PageContent {
  const total = sums.reduce((sum, one) => sum + one.purchases, 0);
  const left = total - purchases.length;
  return {
    title: "Lost",
    subtitle:
      "What suppliers were paid for nothing or too much, by the time at which the order ended. The file has the supplier's own numbers: filter one supplier and send it.",
    body: stack(
      reportTabs("lost", askedQuery(asked(ctx)), ctx),
      tablePanel<LostSum>({
        title: "By supplier and cause",
        caption: "Lost by supplier and cause",
        filters: filters(suppliers, ctx),
        rows: sums,
        empty: emptyState("Nothing was lost in these days", "Choose other days or another supplier."),
        columns: [
          { head: "Supplier", wraps: true, cell: ({ supplierName }) => supplierName },
          { head: "Cause", wraps: true, cell: ({ cause }) => CAUSES[cause] },
          { head: "Purchases", numeric: true, cell: (one) => countText(one.purchases) },
          ...amountColumns,
        ],
      }),
      tablePanel<LostPurchase>({
        title: "Purchases",
        caption: "Lost purchases",
        csvHref: here(ctx, `${LOST}/report.csv`, askedQuery(asked(ctx))),
        ...(left > 0 ? { aside: `the newest ${countText(purchases.length)} of ${countText(total)}` } : {}),
        rows: purchases,
        empty: emptyState("No purchases", "Nothing to send to a supplier."),
        columns: [
          {
            head: "Order",
            cell: (one) =>
              twoLines(
                html`<a class="link" href="${here(ctx, `/orders/${one.orderId}`)}">${idText(one.orderId, { short: true })}</a>`,
                time(one.at, ctx.now),
              ),
          },
          {
            head: "Supplier, its number",
            wraps: true,
            cell: (one) =>
              twoLines(
                one.supplierName,
                one.upstreamId === null ? "none known" : idText(one.upstreamId, { short: true }),
              ),
          },
          { head: "Cause", wraps: true, cell: ({ cause }) => CAUSES[cause] },
          { head: "Expected", numeric: true, cell: (one) => amount(one.expectedMinor, one.expectedCurrency) },
          ...amountColumns,
        ],
      }),
    ),
  };
}

const amount = (minor: bigint | null, currency: string | null): HtmlValue =>
  minor === null || currency === null || currency === ""
    ? html`<span class="quiet">not known</span>`
    : money(minor, currency);

type Amounts = Pick<LostSum, "currency" | "chargedMinor" | "givenBackMinor" | "lostMinor">;
const amountColumns = [
  { head: "Charged", numeric: true, cell: (one: Amounts) => amount(one.chargedMinor, one.currency) },
  { head: "Given back", numeric: true, cell: (one: Amounts) => amount(one.givenBackMinor, one.currency) },
  { head: "Lost", numeric: true, cell: (one: Amounts) => amount(one.lostMinor, one.currency) },
];

function filters(suppliers: ReadonlyMap<string, string>, ctx: ConsoleContext) {
  const { from, to, member } = asked(ctx);
  return filterBar({
    action: LOST,
    filters: [
      { kind: "date", name: "from", label: "From", value: from },
      { kind: "date", name: "to", label: "To", value: to },
      {
        ...{ kind: "select", name: "supplier", label: "Supplier" },
        value: member?.of === "supplier" ? member.id : "",
        options: [...suppliers],
      },
    ],
  });
}

const lostCsv = (purchases: readonly LostPurchase[], { from, to }: { from: string; to: string }) =>
  csvFile(`lost-${from}-${to}.csv`, LOST_COLUMNS, purchases.map(lostCells));
