import { createReadStream } from "node:fs";
import { extname } from "node:path";
import { readCsvProducts } from "./read-csv-products.ts";
import { type ReadRow, readJsonProducts } from "./read-json-products.ts";

type CatalogFile = { rows: AsyncGenerator<ReadRow>; close(): Promise<void> };

/** Opens a catalog in JSON or CSV. A file that cannot be opened is an error here, before anything else begins. */
export async function openCatalogFile(file: string): Promise<CatalogFile> {
  const chunks = readChunks(file);
  const first = await chunks.next();
  const bytes = first.done ? chunks : startWith(first.value, chunks);
  const isJson = findFormat(file, first.done ? new Uint8Array() : first.value) === "json";
  return {
    rows: isJson ? readJsonProducts(bytes) : readCsvProducts(bytes),
    close: async () => {
      await chunks.return(undefined);
    },
  };
}

async function* readChunks(file: string): AsyncGenerator<Uint8Array, undefined> {
  try {
    yield* createReadStream(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot read ${file}: ${REASONS.get(code) ?? message}.`, { cause: error });
  }
  return undefined;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["EACCES", "permission denied"],
  ["EISDIR", "it is a directory"],
]);

async function* startWith(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

/** By the name, or else by the first character: JSON begins with a bracket. Names like /dev/stdin say nothing. */
function findFormat(file: string, beginning: Uint8Array): "json" | "csv" {
  const extension = extname(file).toLowerCase();
  if (extension === ".json") return "json";
  if (extension === ".csv") return "csv";
  const text = new TextDecoder().decode(beginning).trimStart();
  return text.startsWith("{") || text.startsWith("[") ? "json" : "csv";
}
