import { readCsvRecords } from "../../lib/csv/csv-records.ts";
import { type FileSource, readFileBytes } from "../../lib/csv/read-csv-table.ts";
import { type Secret, secret } from "../../lib/secret.ts";
import type { Goods } from "../goods.ts";
import { parseStockRow, STOCK_COLUMNS, type StockCells, type StockColumn } from "./stock-row.ts";

/** A row of a stock file, or what is wrong on its line. */
export type StockRow = { line: number; goods: Secret<Goods> } | { line: number; fault: string };

/** Far more than five cells of maximum length: a longer record has an unclosed quote. */
const RECORD_MAX_BYTES = 65_536;

/** Reads a stock file (CSV, the first line names the columns), one row after the other. */
export async function* readStockFile(
  file: FileSource,
  now: Date,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<StockRow> {
  const records = readCsvRecords(readFileBytes(file, onBytes), RECORD_MAX_BYTES);
  let columns: string[] | undefined;
  let rows = 0;
  for await (const record of records) {
    const { line } = record;
    if ("fault" in record) {
      rows += 1;
      yield record;
    } else if (!columns) {
      columns = record.cells.map((cell) => cell.trim());
      const faults = listColumnFaults(columns);
      if (faults.length > 0) return yield { line, fault: faults.join("; ") };
    } else {
      rows += 1;
      yield { line, ...readRow(columns, record.cells, now) };
    }
  }
  if (rows === 0) yield { line: 1, fault: "the file holds no codes; its first line names the columns" };
}

/** A file without a header starts with a code, so an unknown name is reported by its position only. */
function listColumnFaults(columns: readonly string[]): string[] {
  const unknown = [...columns.keys()].filter((index) => !isStockColumn(columns[index] ?? ""));
  const twice = STOCK_COLUMNS.filter((name) => columns.indexOf(name) !== columns.lastIndexOf(name));
  const known = STOCK_COLUMNS.join(",");
  return [
    ...unknown.slice(0, COLUMNS_NAMED_MAX).map((index) => `column ${index + 1} has no known name`),
    ...(unknown.length > COLUMNS_NAMED_MAX ? [`and ${unknown.length - COLUMNS_NAMED_MAX} more`] : []),
    ...(unknown.length > 0 ? [`the first line names the columns: ${known}`] : []),
    ...twice.map((name) => `duplicate column ${name}`),
    ...(columns.includes("code") || columns.includes("url")
      ? []
      : ["there is neither a column code nor a column url"]),
  ];
}

const COLUMNS_NAMED_MAX = 20;

const isStockColumn = (name: string): name is StockColumn =>
  (STOCK_COLUMNS as readonly string[]).includes(name);

function readRow(
  columns: readonly string[],
  cells: readonly string[],
  now: Date,
): { goods: Secret<Goods> } | { fault: string } {
  if (cells.length !== columns.length)
    return { fault: `has ${cells.length} cells, and there are ${columns.length} columns` };
  const row = parseStockRow(toCells(columns, cells), now);
  return "goods" in row ? { goods: secret(row.goods) } : { fault: row.faults.join("; ") };
}

/** Spreadsheets leave space around cells. */
function toCells(columns: readonly string[], cells: readonly string[]): StockCells {
  const cellOf = (column: StockColumn): string => cells[columns.indexOf(column)]?.trim() ?? "";
  return {
    code: cellOf("code"),
    pin: cellOf("pin"),
    serial: cellOf("serial"),
    url: cellOf("url"),
    expiresAt: cellOf("expiresAt"),
  };
}
