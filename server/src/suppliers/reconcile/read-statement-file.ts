import { type FileSource, readCsvTable } from "../../lib/csv/read-csv-table.ts";
import { isCurrency } from "../../lib/currencies.ts";
import { parseAmount } from "../../lib/money.ts";
import { parseTime } from "../../lib/time.ts";
import { oddRow } from "../calls/checked-reading.ts";
import type { StatementEntry, StatementRow } from "../supplier.ts";

const COLUMNS = ["reference", "id", "amount", "currency", "status", "time"] as const;
const PAGE_SIZE = 1_000;

const STATES: ReadonlyMap<string, StatementEntry["state"]> = new Map([
  ["", "completed"],
  ["completed", "completed"],
  ["successful", "completed"],
  ["succeeded", "completed"],
  ["pending", "pending"],
  ["processing", "pending"],
  ["failed", "failed"],
  ["declined", "failed"],
  ["reversed", "reversed"],
  ["refunded", "reversed"],
]);

/**
 * A supplier's statement as CSV. A row that cannot be read is a row of its own that names its line and column; a file whose header cannot
 * be read is refused.
 */
export async function* readStatementFile(file: FileSource): AsyncIterable<readonly StatementRow[]> {
  let page: StatementRow[] = [];
  for await (const row of readCsvTable(file, { known: COLUMNS, required: ["amount", "currency"] })) {
    if ("cells" in row) page.push(toRow(row.line, row.cells));
    else if (row.line === 1) throw new RangeError(`line 1: ${row.fault}`);
    else page.push(oddRow(undefined, `line ${row.line}`, `cannot be read: ${row.fault}`));
    if (page.length < PAGE_SIZE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

function toRow(line: number, cells: Readonly<Record<(typeof COLUMNS)[number], string>>): StatementRow {
  const { reference, id, currency } = cells;
  const at = cells.time === "" ? undefined : parseTime(cells.time);
  const about = {
    ...(reference === "" ? {} : { reference }),
    ...(id === "" ? {} : { upstreamId: id }),
    ...(at ? { at } : {}),
  };
  const odd = (column: string, reason: string) => ({
    ...about,
    ...oddRow(undefined, `line ${line}, ${column}`, reason),
  });
  if (reference === "" && id === "") return odd("reference", "is missing; a row needs a reference or an id");
  if (!isCurrency(currency)) return odd("currency", "is not an ISO 4217 currency such as USD");
  const amountMinor = amountOf(cells.amount, currency);
  if (amountMinor === undefined)
    return odd("amount", `is not a positive amount with the decimals of ${currency}`);
  const state = STATES.get(cells.status.toLowerCase());
  if (!state) return odd("status", "is not completed, pending, failed or reversed");
  if (cells.time !== "" && !at) return odd("time", "is not a time such as 2030-01-31T12:00:00Z");
  return { state, price: { amountMinor, currency }, ...about };
}

function amountOf(text: string, currency: string): bigint | undefined {
  try {
    return parseAmount(text, currency);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
