import { csvLine, withoutFormula } from "../../lib/csv-line.ts";
import type { Download } from "../pages/define-page.ts";

/** A list as a CSV file. Text that a spreadsheet would take for a formula is kept from being one. */
export const csvFile = (
  filename: string,
  heads: readonly string[],
  rows: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
): Download => ({ type: "text/csv; charset=utf-8", filename, body: lines(heads, rows) });

async function* lines(
  heads: readonly string[],
  rows: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
): AsyncGenerator<string> {
  yield `${csvLine(heads)}\r\n`;
  for await (const cells of rows) yield `${csvLine(cells.map(withoutFormula))}\r\n`;
}
