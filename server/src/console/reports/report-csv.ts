import { formatAmount } from "../../lib/money.ts";
import type { Report } from "../../reports/read-report.ts";
import { permilleOf, type ReportCell } from "../../reports/report-tables.ts";
import type { Download } from "../../web/pages/define-page.ts";
import { csvFile } from "../../web/table/csv-file.ts";
import type { AskedReport } from "./read-scope.ts";

/** Every row of a report. An amount has its currency in the column after it; times are seconds, shares percents. */
export function reportCsv(report: Report, { name, by, from, to }: AskedReport): Download {
  const isMoney = report.columns.map((_, index) =>
    report.rows.some(({ cells }) => cells[index]?.kind === "money"),
  );
  const heads = report.columns.flatMap((column, index) => {
    const head = column.toLowerCase().replaceAll(" %", "_percent").replaceAll(" ", "_");
    return isMoney[index] ? [head, `${head}_currency`] : [head];
  });
  const hasNames = by === "product" || by === "reseller" || by === "supplier";
  const rows = report.rows.map(({ key, cells }) => [
    key,
    ...(hasNames ? [report.names.get(key) ?? ""] : []),
    ...cells.flatMap((cell, index) => texts(cell, isMoney[index] ?? false)),
  ]);
  return csvFile(`${name}-by-${by}-${from}-${to}.csv`, [by, ...(hasNames ? ["name"] : []), ...heads], rows);
}

function texts(cell: ReportCell, isMoney: boolean): string[] {
  switch (cell?.kind) {
    case "money":
      return [formatAmount(cell.minor, cell.currency), cell.currency];
    case "count":
      return [String(cell.value)];
    case "share":
      return [percentText(permilleOf(cell))];
    case "time":
      return [Number.isFinite(cell.ms) ? String(cell.ms / 1_000) : ""];
    case "amounts":
      return [
        cell.amounts.map(({ minor, currency }) => `${formatAmount(minor, currency)} ${currency}`).join(" + "),
      ];
    default:
      return isMoney ? ["", ""] : [""];
  }
}

function percentText(permille: bigint | undefined): string {
  if (permille === undefined) return "";
  const size = permille < 0n ? -permille : permille;
  return `${permille < 0n ? "-" : ""}${size / 10n}.${size % 10n}`;
}
