import { CsvError, type Parser, parse } from "csv-parse";

/** A record with its starting line, or a fault at that line. A fault never quotes the file's content. */
export type CsvRecord = { line: number; cells: string[] } | { line: number; fault: string };

/**
 * Reads CSV records as a stream, including the header. The delimiter is a comma, or the semicolon or tab that the
 * first line uses, because spreadsheets in many countries write those. Empty lines are skipped. After a broken
 * quote, cells cannot be told apart from text, so its fault is the last record.
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
  /** The line after the last record. The parser's own count treats CRLF inside a cell as two lines. */
  nextLine: number;
  emptyLines: number;
};

/** The cells, and how many empty lines the parser had skipped before them. */
type Found = { cells: string[]; emptyLines: number };

/**
 * Collects records through `on_record`. Reading the parser as a stream would lose the good records that precede a
 * broken quote in the same chunk.
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
  // The write callback receives the error. Without a listener it would also crash the process.
  parser.on("error", () => {});
  return parser;
}

const DELIMITERS = [",", ";", "\t"] as const;

/** The delimiter that occurs most often outside quotes on the first line, or a comma. */
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

/** The broken record starts where the last complete record ended. */
function breakOff(reading: Reading, parser: Parser, error: Error): CsvRecord {
  if (!(error instanceof CsvError)) throw error;
  const line = reading.nextLine + parser.info.empty_lines - reading.emptyLines;
  return { line, fault: REASONS.get(error.code) ?? `not valid CSV (${error.code})` };
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["CSV_QUOTE_NOT_CLOSED", "opening quote is never closed"],
  ["CSV_INVALID_CLOSING_QUOTE", 'text follows a closing quote; write a quote inside a quoted cell as ""'],
  [
    "INVALID_OPENING_QUOTE",
    'a quote inside an unquoted cell; quote the whole cell and write the inner quote as ""',
  ],
  ["CSV_MAX_RECORD_SIZE", "record is too long; check for an unclosed quote"],
]);

function countLineBreaks(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells) {
    for (let at = cell.indexOf("\n"); at !== -1; at = cell.indexOf("\n", at + 1)) count += 1;
  }
  return count;
}
