import { type FileSource, readFileBytes } from "../../lib/csv/read-csv-table.ts";
import { STATEMENT_MAX_BYTES, type StatementRow } from "./bank-line.ts";
import { readBankCsv } from "./read-bank-csv.ts";
import { readCamt } from "./read-camt.ts";

/** Reads a bank statement, CSV or camt.053, by how it starts. A file that is too large is refused while it is read. */
export async function readStatement(file: FileSource): Promise<StatementRow[]> {
  const bytes = limited(readFileBytes(file));
  const first = await bytes.next();
  const start: Uint8Array = first.done ? new Uint8Array() : first.value;
  const rest = (async function* () {
    yield start;
    yield* bytes;
  })();
  if (isXml(start)) return readCamt(await readText(rest));
  const rows: StatementRow[] = [];
  for await (const row of readBankCsv(rest)) rows.push(row);
  return rows;
}

async function* limited(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let read = 0;
  for await (const chunk of bytes) {
    read += chunk.length;
    if (read > STATEMENT_MAX_BYTES)
      throw new RangeError(
        `the file is larger than ${STATEMENT_MAX_BYTES / 1024 / 1024} MiB; export a shorter period`,
      );
    yield chunk;
  }
  return undefined;
}

const isXml = (start: Uint8Array): boolean =>
  /^\ufeff?\s*</.test(new TextDecoder().decode(start.subarray(0, 1_024)));

async function readText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new RangeError("the file is not valid UTF-8");
  }
}
