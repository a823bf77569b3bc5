import { extname } from "node:path";
import { type FileSource, readFileBytes } from "../../lib/csv/read-csv-table.ts";
import { readCsvProducts } from "./read-csv-products.ts";
import { type ReadRow, readJsonProducts } from "./read-json-products.ts";

type CatalogFile = { rows: AsyncGenerator<ReadRow>; close(): Promise<void> };

/** Opens a catalog in JSON or CSV. Fails here, before any other work, if the file cannot be opened. */
export async function openCatalogFile(
  file: FileSource,
  onBytes?: (bytes: number) => void,
): Promise<CatalogFile> {
  const chunks = readFileBytes(file, onBytes);
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

async function* startWith(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

/**
 * Detects the format by file name, or else by the first character, because JSON starts with a bracket. Names like
 * /dev/stdin have no extension.
 */
function findFormat(file: FileSource, beginning: Uint8Array): "json" | "csv" {
  const extension = typeof file === "string" ? extname(file).toLowerCase() : "";
  if (extension === ".json") return "json";
  if (extension === ".csv") return "csv";
  const text = new TextDecoder().decode(beginning).trimStart();
  return text.startsWith("{") || text.startsWith("[") ? "json" : "csv";
}
