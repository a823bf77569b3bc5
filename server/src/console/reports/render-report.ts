import { REPORT_BYS, REPORT_NAMES, type Report, type ReportName } from "../../reports/read-report.ts";
import type { ReportBy, ReportDimension } from "../../reports/report-queries.ts";
import { permilleOf, type ReportCell } from "../../reports/report-tables.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { countText, money, moneyText } from "../../web/parts/money.ts";
import { choice, tabs } from "../../web/parts/navigation.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { panel, stack } from "../../web/parts/panel.ts";
import { exactTime, spanText } from "../../web/parts/time.ts";
import { type Column, twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import type { ConsoleContext } from "../session.ts";
import { type AskedReport, askedQuery, DIMENSIONS, scopeOf } from "./read-scope.ts";
import { currenciesOf, totalsOf } from "./report-totals.ts";
import { timeChart } from "./time-series.ts";

export const REPORTS = "/reports";
/** A page of more rows helps nobody; the file has all of them. */
const ROWS_SHOWN_MAX = 500;
/** Charts of more currencies would be a wall. */
const CHARTS_MAX = 3;

const TITLES: Readonly<Record<ReportName, string>> = {
  ...{ sales: "Sales", margin: "Margin", refunds: "Refunds", fulfilment: "Fulfilment" },
};
const WHAT: Readonly<Record<ReportName, string>> = {
  sales:
    "Orders by the time of their acceptance, refunds by their own. By supplier: what a supplier delivered.",
  margin:
    "What was delivered, less later refunds, less cost, by the time at which orders ended. Costs are converted to the currency of the sale, at the rate of each order's acceptance. Lost is the part of the cost that brought nothing. Landed cost and margin at acceptance are those of what was sold, by the time of acceptance.",
  refunds: "Money that went back to wallets, by the time of the refund.",
  fulfilment:
    "Orders by the time at which they ended, and how long that took from their acceptance. By product and supplier: delivered units.",
};
/** Which column a chart shows. */
const CHARTED: Readonly<Record<ReportName, string>> = {
  ...{ sales: "Sold", margin: "Margin", refunds: "Refunded", fulfilment: "Completed" },
};
const HEADS: Readonly<Record<ReportBy, string>> = {
  ...{ hour: "Hour (UTC)", day: "Day (UTC)", product: "Product", brand: "Brand", reseller: "Reseller" },
  supplier: "Supplier",
};

export function renderReport(report: Report, asked: AskedReport, ctx: ConsoleContext): PageContent {
  const { name, member } = asked;
  return {
    title: member ? `${TITLES[name]} of ${report.names.get(member.id) ?? member.id}` : TITLES[name],
    subtitle: html`${WHAT[name]} ${completeness(report)}`,
    body: stack(
      reportTabs(name, askedQuery(asked), ctx),
      ...charts(report, asked, ctx),
      rowsPanel(report, asked, ctx),
    ),
  };
}

/** Every report, with the days that are asked for. */
export const reportTabs = (
  current: ReportName | "lost",
  query: Readonly<Record<string, string>>,
  ctx: ConsoleContext,
): Html =>
  tabs(
    "Reports",
    ([...REPORT_NAMES, "lost"] as const).map((one) => ({
      label: one === "lost" ? "Lost" : TITLES[one],
      href: here(ctx, `${REPORTS}/${one}`, query),
      isCurrent: one === current,
    })),
  );

const completeness = ({ completeUntil }: Report): string =>
  completeUntil === undefined
    ? "Nothing has been counted yet: a worker does it."
    : `Complete up to ${exactTime(completeUntil)}.`;

function charts(report: Report, asked: AskedReport, ctx: ConsoleContext): Html[] {
  const { name, by } = asked;
  if (by !== "hour" && by !== "day") return [];
  const column = report.columns.indexOf(CHARTED[name]);
  const series = new Map<string, Map<string, bigint>>();
  for (const { key, cells } of report.rows) {
    const cell = cells[column];
    if (cell?.kind !== "money" && cell?.kind !== "count") continue;
    const currency = cell.kind === "money" ? cell.currency : "";
    const values = series.get(currency) ?? new Map<string, bigint>();
    series.set(currency, values.set(key, cell.kind === "money" ? cell.minor : cell.value));
  }
  const span = { ...scopeOf(ctx, asked), by };
  return [...series].slice(0, CHARTS_MAX).map(([currency, values]) => {
    const title = `${CHARTED[name]} by ${by}${currency === "" ? "" : `, ${currency}`}`;
    return panel(
      { title },
      timeChart(
        span,
        { title, name: CHARTED[name], values, ...(currency === "" ? {} : { currency }) },
        ctx.now,
      ),
    );
  });
}

function rowsPanel(report: Report, asked: AskedReport, ctx: ConsoleContext): Html {
  const { name, by } = asked;
  const shown = report.rows.slice(0, ROWS_SHOWN_MAX);
  const left = report.rows.length - shown.length;
  return tablePanel({
    title: `${TITLES[name]} by ${by}`,
    caption: `${TITLES[name]} by ${by}`,
    aside: html`${left > 0 ? html`<span class="quiet">The first ${countText(shown.length)} of ${countText(report.rows.length)}; the file has all.</span>` : undefined}${byChoice(asked, ctx)}`,
    filters: rangeFilters(asked, ctx),
    csvHref: here(ctx, `${REPORTS}/${name}/report.csv`, askedQuery(asked)),
    rows: shown.length === 0 ? [] : [...totalsOf(report), ...shown],
    columns: [
      { head: HEADS[by], wraps: true, cell: (row) => memberCell(report, asked, row, ctx) },
      ...inView(report.columns, name).map(
        (head): Column<Report["rows"][number]> => ({
          head,
          numeric: true,
          cell: ({ cells }) => cellOf(cells[report.columns.indexOf(head)] ?? null),
        }),
      ),
    ],
    empty: emptyState("Nothing in these days", "Choose other days, or the other environment."),
  });
}

const MARGIN_FIRST: readonly string[] = ["Margin", "Share"];
/** The table of margins is the widest: what it is about stands where no screen cuts it. */
const inView = (columns: readonly string[], name: ReportName): readonly string[] =>
  name === "margin" ? [...MARGIN_FIRST, ...columns.filter((head) => !MARGIN_FIRST.includes(head))] : columns;

/** One product, reseller or supplier is shown by time; the way back to all of them is in the choice. */
const byChoice = ({ name, by, from, to, member }: AskedReport, ctx: ConsoleContext): Html =>
  choice(
    "By",
    REPORT_BYS.map((one) => ({
      label: `${one[0]?.toUpperCase()}${one.slice(1)}`,
      href: here(ctx, `${REPORTS}/${name}`, { by: one, from, to }),
      isCurrent: one === by && member === undefined,
    })),
  );

const rangeFilters = ({ name, by, from, to, member }: AskedReport, ctx: ConsoleContext): Html =>
  filterBar({
    action: `${REPORTS}/${name}`,
    keep: {
      by,
      ...(member ? { [member.of]: member.id } : {}),
      env: ctx.query.env === "test" ? "test" : undefined,
    },
    filters: [
      { kind: "date", name: "from", label: "From", value: from },
      { kind: "date", name: "to", label: "To", value: to },
    ],
  });

const PAGES: Readonly<Record<ReportDimension, string>> = {
  ...{ product: "/products", reseller: "/resellers", supplier: "/suppliers" },
};

function memberCell(
  report: Report,
  asked: AskedReport,
  { key, cells }: Report["rows"][number],
  ctx: ConsoleContext,
): HtmlValue {
  const { name, by, from, to } = asked;
  // A narrow screen shows this column and not the amounts beside it.
  if (key === "") return html`<b>Total</b> <span class="quiet">${currenciesOf(cells).join(", ")}</span>`;
  const of = DIMENSIONS.find((one) => one === by);
  if (of === undefined) return by === "hour" ? key.replace("T", " ").replace("Z", "") : key;
  const page = here(ctx, `${PAGES[of]}/${encodeURIComponent(key)}`);
  const byDay = here(ctx, `${REPORTS}/${name}`, { by: "day", from, to, [of]: key });
  return twoLines(
    html`<a class="link" href="${page}">${report.names.get(key) ?? key}</a>`,
    html`<code>${key}</code> · <a class="link" href="${byDay}">by day</a>`,
  );
}

const nothing = html`<span class="quiet">–</span>`;

const shareCell = (permille: bigint | undefined): HtmlValue =>
  permille === undefined ? nothing : shareText(permille);

function cellOf(cell: ReportCell): HtmlValue {
  switch (cell?.kind) {
    case "money":
      return money(cell.minor, cell.currency);
    case "count":
      return countText(cell.value);
    case "share":
      return shareCell(permilleOf(cell));
    case "time":
      return timeText(cell.ms);
    case "amounts":
      return cell.amounts.map(({ minor, currency }) => moneyText(minor, currency)).join(" + ");
    default:
      return nothing;
  }
}

/** Rounded down, so that 100 % means all of it. */
export const shareText = (permille: bigint): string => {
  const size = permille < 0n ? -permille : permille;
  return `${permille < 0n ? "−" : ""}${size / 10n}.${size % 10n} %`;
};

/** The upper bound of a class of times: it took at most so long. */
export function timeText(ms: number): string {
  if (!Number.isFinite(ms)) return "over a day";
  return ms < 60_000 ? `${ms / 1_000} s` : spanText(ms);
}
