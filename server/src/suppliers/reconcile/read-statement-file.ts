import { type FileSource, readCsvTable } from "../../lib/csv/read-csv-table.ts";
import { isCurrency } from "../../lib/currencies.ts";
import { parseAmount } from "../../lib/money.ts";
import { parseTime } from "../../lib/time.ts";
import type { StatementEntry } from "../supplier.ts";

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
 * A supplier's statement as CSV. The first fault ends the reading: half of a statement would report the rest as missing.
 * Throws a RangeError that names the line.
 */
export async function* readStatementFile(file: FileSource): AsyncIterable<readonly StatementEntry[]> {
  let page: StatementEntry[] = [];
  for await (const row of readCsvTable(file, { known: COLUMNS, required: ["amount", "currency"] })) {
    if ("fault" in row) throw new RangeError(`line ${row.line}: ${row.fault}`);
    page.push(toEntry(row.line, row.cells));
    if (page.length < PAGE_SIZE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

function toEntry(line: number, cells: Readonly<Record<(typeof COLUMNS)[number], string>>): StatementEntry {
  const { reference, id, currency } = cells;
  if (reference === "" && id === "") throw new RangeError(`line ${line}: a row needs a reference or an id`);
  if (!isCurrency(currency)) throw new RangeError(`line ${line}: "${currency}" is not an ISO-4217 currency`);
  const state = STATES.get(cells.status.toLowerCase());
  if (!state)
    throw new RangeError(`line ${line}: "${cells.status}" is not completed, pending, failed or reversed`);
  const at = cells.time === "" ? undefined : parseTime(cells.time);
  if (cells.time !== "" && !at)
    throw new RangeError(`line ${line}: "${cells.time}" is not a time such as 2030-01-31T12:00:00Z`);
  return {
    state,
    price: { amountMinor: amountOf(line, cells.amount, currency), currency },
    ...(reference === "" ? {} : { reference }),
    ...(id === "" ? {} : { upstreamId: id }),
    ...(at ? { at } : {}),
  };
}

function amountOf(line: number, amount: string, currency: string): bigint {
  try {
    return parseAmount(amount, currency);
  } catch (error) {
    throw error instanceof RangeError ? new RangeError(`line ${line}: ${error.message}`) : error;
  }
}
