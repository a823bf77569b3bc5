import { createReadStream } from "node:fs";
import { type CsvRecord, readCsvRecords } from "./csv-records.ts";

/** A row with its cells by column (empty if the file lacks the column), or the fault on its line. */
export type TableRow<Column extends string> =
  | { line: number; cells: Readonly<Record<Column, string>> }
  | { line: number; fault: string };

export type TableColumns<Column extends string> = {
  known: readonly Column[];
  required: readonly Column[];
};

const RECORD_MAX_BYTES = 65_536;

/** Reads a CSV file with a header row. Columns can be in any order, and cells are trimmed. */
export async function* readCsvTable<Column extends string>(
  file: FileSource,
  columns: TableColumns<Column>,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<TableRow<Column>> {
  let names: string[] | undefined;
  let rows = 0;
  for await (const record of readCsvRecords(readFileBytes(file, onBytes), RECORD_MAX_BYTES)) {
    if (names || "fault" in record) {
      rows += 1;
      yield toRow(columns.known, names ?? [], record);
      continue;
    }
    names = record.cells.map((cell) => cell.trim());
    const fault = sayColumnFaults(columns, names);
    if (fault !== undefined) return yield { line: record.line, fault };
  }
  if (rows === 0) yield { line: 1, fault: "the file is empty; the first line must be a header row" };
}

function toRow<Column extends string>(
  known: readonly Column[],
  names: readonly string[],
  record: CsvRecord,
): TableRow<Column> {
  if ("fault" in record) return record;
  const { line, cells } = record;
  if (cells.length !== names.length)
    return { line, fault: `row has ${cells.length} cells, expected ${names.length}` };
  const entries = known.map((column) => [column, cells[names.indexOf(column)]?.trim() ?? ""] as const);
  return { line, cells: Object.fromEntries(entries) as Record<Column, string> };
}

/** What is wrong with a header row, in one sentence that lists the columns once. Undefined if nothing is. */
export function sayColumnFaults(
  { known, required }: TableColumns<string>,
  names: readonly string[],
): string | undefined {
  const faults = [
    ...names.filter((name) => !known.includes(name)).map((name) => `unknown column "${name}"`),
    ...known.filter((name) => isTwice(names, name)).map((name) => `duplicate column "${name}"`),
    ...required.filter((name) => !names.includes(name)).map((name) => `missing column "${name}"`),
  ];
  if (faults.length === 0) return undefined;
  const more = faults.length > FAULTS_NAMED_MAX ? [`and ${faults.length - FAULTS_NAMED_MAX} more`] : [];
  return [...faults.slice(0, FAULTS_NAMED_MAX), ...more, `the columns are ${known.join(", ")}`].join("; ");
}

const FAULTS_NAMED_MAX = 20;

const isTwice = (names: readonly string[], name: string): boolean =>
  names.indexOf(name) !== names.lastIndexOf(name);

/** A file by its path, or its bytes from elsewhere. */
export type FileSource = string | AsyncIterable<Uint8Array>;

/** The bytes of a file. The error for an unreadable file names it. */
export async function* readFileBytes(
  file: FileSource,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    for await (const chunk of typeof file === "string" ? createReadStream(file) : file) {
      onBytes?.(chunk.length);
      yield chunk;
    }
    return undefined;
  } catch (error) {
    if (typeof file !== "string") throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot read ${file}: ${REASONS.get(code) ?? message}`, { cause: error });
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file"],
  ["EACCES", "permission denied"],
  ["EISDIR", "is a directory"],
]);
