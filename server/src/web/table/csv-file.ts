import { csvLine, withoutFormulas } from "../../lib/csv/csv-line.ts";
import type { Download } from "../pages/define-page.ts";

/** A list as a CSV file. Text that a spreadsheet would take for a formula is kept from being one. Columns in `exact` stay as they are. */
export const csvFile = (
  filename: string,
  heads: readonly string[],
  rows: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  exact?: ReadonlySet<string>,
): Download => ({ type: "text/csv; charset=utf-8", filename, body: lines(heads, rows, exact) });

async function* lines(
  heads: readonly string[],
  rows: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  exact: ReadonlySet<string> | undefined,
): AsyncGenerator<string> {
  yield `${csvLine(heads)}\r\n`;
  for await (const cells of rows) yield `${csvLine(withoutFormulas(heads, cells, exact))}\r\n`;
}
