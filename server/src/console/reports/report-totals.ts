import type { ReportCell, ReportTable } from "../../reports/report-tables.ts";

type ReportRow = ReportTable["rows"][number];

/** The sums of all rows, one row for each currency. They have an empty key. A share is that of the sums. Times cannot be added and are left out. */
export function totalsOf({ rows }: Pick<ReportTable, "rows">): ReportRow[] {
  const sums = new Map<string, ReportCell[]>();
  for (const { cells } of rows) {
    const currencies = currenciesOf(cells).join(" ");
    const sum = sums.get(currencies);
    sums.set(currencies, sum ? sum.map((one, index) => add(one, cells[index] ?? null)) : cells.map(addable));
  }
  return [...sums.values()].map((cells) => ({ key: "", cells }));
}

/** The currencies of a row, each once, in the order of its columns. */
export const currenciesOf = (cells: readonly ReportCell[]): string[] => [
  ...new Set(cells.map(currencyOf).filter((currency) => currency !== "")),
];

const currencyOf = (cell: ReportCell): string => (cell?.kind === "money" ? cell.currency : "");

const addable = (cell: ReportCell): ReportCell =>
  cell === null || cell.kind === "time" || cell.kind === "amounts" ? null : cell;

function add(sum: ReportCell, cell: ReportCell): ReportCell {
  // Where a row knows nothing, the others are added.
  if (sum === null) return addable(cell);
  if (sum?.kind === "money" && cell?.kind === "money") return { ...sum, minor: sum.minor + cell.minor };
  if (sum?.kind === "count" && cell?.kind === "count") return { ...sum, value: sum.value + cell.value };
  if (sum?.kind === "share" && cell?.kind === "share")
    return { ...sum, part: sum.part + cell.part, whole: sum.whole + cell.whole };
  return sum;
}
