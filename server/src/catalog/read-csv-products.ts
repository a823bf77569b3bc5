import { CsvError, type Parser, parse } from "csv-parse";
import { csvRecordToJson, listColumnFaults } from "./csv-product.ts";
import { PRODUCT_BYTES_MAX, type ReadRow } from "./read-json-products.ts";

/**
 * Reads a catalog in CSV and yields one product after another in the shape that a JSON file has. The first line names
 * the columns. After a broken quote nobody can tell cells from text, so the fault that names it is the last row.
 */
export async function* readCsvProducts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ReadRow> {
  const reading: Reading = { records: [], columns: undefined, nextLine: 1, emptyLines: 0, isBroken: false };
  const parser = openParser(reading);
  for await (const chunk of bytes) {
    const error = await feed(parser, chunk);
    yield* takeRows(reading);
    if (error && !reading.isBroken) yield breakOff(reading, parser, error);
    if (reading.isBroken) return;
  }
  const error = await finish(parser);
  yield* takeRows(reading);
  if (reading.isBroken) return;
  if (error) yield breakOff(reading, parser, error);
  else if (!reading.columns) yield { line: 1, fault: "the file is empty; its first line names the columns" };
}

type Reading = {
  records: CsvRecord[];
  columns: string[] | undefined;
  /** The line after the last record. The parser's own count takes CRLF inside a cell for two lines. */
  nextLine: number;
  emptyLines: number;
  isBroken: boolean;
};

/** The cells, and how many empty lines the parser had skipped when it met them. */
type CsvRecord = { cells: string[]; emptyLines: number };

/**
 * The parser hands each record over as it finds it. Read as a stream it would lose, at a broken quote, the good
 * records that it had found in the same chunk, and their faults with them.
 */
function openParser(reading: Reading): Parser {
  const parser = parse({
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ["\r\n", "\n"],
    max_record_size: PRODUCT_BYTES_MAX,
    on_record: (cells: string[], info) => {
      reading.records.push({ cells, emptyLines: info.empty_lines });
      return null;
    },
  });
  // Whoever writes is told of the error; without a listener it would end the process as well.
  parser.on("error", () => {});
  return parser;
}

const feed = (parser: Parser, chunk: Uint8Array): Promise<Error | undefined> =>
  new Promise((resolve) => parser.write(chunk, (error) => resolve(error ?? undefined)));

const finish = (parser: Parser): Promise<Error | undefined> =>
  new Promise((resolve) => {
    parser.once("error", resolve);
    parser.end(() => resolve(undefined));
  });

function* takeRows(reading: Reading): Generator<ReadRow> {
  const records = reading.records;
  reading.records = [];
  for (const { cells, emptyLines } of records) {
    if (reading.isBroken) return;
    const line = reading.nextLine + emptyLines - reading.emptyLines;
    reading.nextLine = line + 1 + countLineBreaks(cells);
    reading.emptyLines = emptyLines;
    if (!reading.columns) yield* readHeader(reading, cells, line);
    else if (cells.length !== reading.columns.length) {
      yield { line, fault: `has ${cells.length} cells, and there are ${reading.columns.length} columns` };
    } else yield { line, value: csvRecordToJson(reading.columns, cells) };
  }
}

/** Under a wrong header every row would be at fault, so the header's own faults are all that is said. */
function* readHeader(reading: Reading, cells: string[], line: number): Generator<ReadRow> {
  reading.columns = cells;
  for (const fault of listColumnFaults(cells)) {
    reading.isBroken = true;
    yield { line, fault };
  }
}

/** The record that is broken begins where the last whole one ended. */
function breakOff(reading: Reading, parser: Parser, error: Error): ReadRow {
  if (!(error instanceof CsvError)) throw error;
  reading.isBroken = true;
  const line = reading.nextLine + parser.info.empty_lines - reading.emptyLines;
  return { line, fault: REASONS.get(error.code) ?? `is not valid CSV: ${error.message}` };
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["CSV_QUOTE_NOT_CLOSED", "a cell's opening quote is never closed"],
  ["CSV_INVALID_CLOSING_QUOTE", 'text follows a closing quote; inside a quoted cell a quote is written ""'],
  [
    "INVALID_OPENING_QUOTE",
    'a quote stands inside a cell that does not begin with one; quote the cell and write ""',
  ],
  ["CSV_MAX_RECORD_SIZE", `is longer than ${PRODUCT_BYTES_MAX} bytes; is a quote left open?`],
]);

function countLineBreaks(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells) {
    for (let at = cell.indexOf("\n"); at !== -1; at = cell.indexOf("\n", at + 1)) count += 1;
  }
  return count;
}
