import { CsvError, type Parser, parse } from "csv-parse";

/** One record and the line on which it begins, or what is wrong there. A reason never repeats what the file holds. */
export type CsvRecord = { line: number; cells: string[] } | { line: number; fault: string };

/**
 * Reads records of CSV as they come, the header among them. Cells are separated by commas, or by semicolons or tabs where
 * the first line is, as spreadsheets of many countries write them. Empty lines are passed over. After a broken quote
 * nobody can tell cells from text, so the fault that names it is the last record.
 */
export async function* readCsvRecords(
  bytes: AsyncIterable<Uint8Array>,
  recordMaxBytes: number,
): AsyncGenerator<CsvRecord> {
  const reading: Reading = { found: [], nextLine: 1, emptyLines: 0 };
  let beginning: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  let parser: Parser | undefined;
  for await (const chunk of bytes) {
    if (!parser) {
      beginning = Buffer.concat([beginning, chunk]);
      if (!beginning.includes("\n") && beginning.length < recordMaxBytes) continue;
    }
    const isFirst = parser === undefined;
    parser ??= openParser(reading, { recordMaxBytes, delimiter: findDelimiter(beginning) });
    const error = await feed(parser, isFirst ? beginning : chunk);
    yield* takeRecords(reading);
    if (error) return yield breakOff(reading, parser, error);
  }
  if (!parser) {
    parser = openParser(reading, { recordMaxBytes, delimiter: findDelimiter(beginning) });
    const error = beginning.length > 0 ? await feed(parser, beginning) : undefined;
    yield* takeRecords(reading);
    if (error) return yield breakOff(reading, parser, error);
  }
  const error = await finish(parser);
  yield* takeRecords(reading);
  if (error) yield breakOff(reading, parser, error);
}

type Reading = {
  found: Found[];
  /** The line after the last record. The parser's own count takes CRLF inside a cell for two lines. */
  nextLine: number;
  emptyLines: number;
};

/** The cells, and how many empty lines the parser had passed over when it met them. */
type Found = { cells: string[]; emptyLines: number };

/**
 * The parser hands each record over as it finds it. Read as a stream it would lose, at a broken quote, the good
 * records that it had found in the same chunk.
 */
function openParser(reading: Reading, settings: { recordMaxBytes: number; delimiter: string }): Parser {
  const parser = parse({
    bom: true,
    delimiter: settings.delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ["\r\n", "\n"],
    max_record_size: settings.recordMaxBytes,
    on_record: (cells: string[], info) => {
      reading.found.push({ cells, emptyLines: info.empty_lines });
      return null;
    },
  });
  // Whoever writes is told of the error; without a listener it would end the process as well.
  parser.on("error", () => {});
  return parser;
}

const DELIMITERS = [",", ";", "\t"] as const;

/** Whatever divides the first line most often outside quotes; a comma when nothing does. */
function findDelimiter(beginning: Buffer): string {
  const [line = ""] = beginning
    .toString("utf8")
    .replace(/^\ufeff?[\r\n]*/, "")
    .split(/\r?\n/, 1);
  const unquoted = line.replaceAll(/"[^"]*"/g, "");
  const count = (delimiter: string): number => unquoted.split(delimiter).length - 1;
  return DELIMITERS.toSorted((one, other) => count(other) - count(one))[0] ?? ",";
}

const feed = (parser: Parser, chunk: Uint8Array): Promise<Error | undefined> =>
  new Promise((resolve) => parser.write(chunk, (error) => resolve(error ?? undefined)));

const finish = (parser: Parser): Promise<Error | undefined> =>
  new Promise((resolve) => {
    parser.once("error", resolve);
    parser.end(() => resolve(undefined));
  });

function* takeRecords(reading: Reading): Generator<CsvRecord> {
  const { found } = reading;
  reading.found = [];
  for (const { cells, emptyLines } of found) {
    const line = reading.nextLine + emptyLines - reading.emptyLines;
    reading.nextLine = line + 1 + countLineBreaks(cells);
    reading.emptyLines = emptyLines;
    yield { line, cells };
  }
}

/** The record that is broken begins where the last whole one ended. */
function breakOff(reading: Reading, parser: Parser, error: Error): CsvRecord {
  if (!(error instanceof CsvError)) throw error;
  const line = reading.nextLine + parser.info.empty_lines - reading.emptyLines;
  return { line, fault: REASONS.get(error.code) ?? `is not valid CSV (${error.code})` };
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["CSV_QUOTE_NOT_CLOSED", "a cell's opening quote is never closed"],
  ["CSV_INVALID_CLOSING_QUOTE", 'text follows a closing quote; inside a quoted cell a quote is written ""'],
  [
    "INVALID_OPENING_QUOTE",
    'a quote stands inside a cell that does not begin with one; quote the cell and write ""',
  ],
  ["CSV_MAX_RECORD_SIZE", "is too long; is a quote left open?"],
]);

function countLineBreaks(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells) {
    for (let at = cell.indexOf("\n"); at !== -1; at = cell.indexOf("\n", at + 1)) count += 1;
  }
  return count;
}
