import type { Db, Tx } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { type FileSource, readCsvTable, type TableRow } from "../../lib/csv/read-csv-table.ts";
import { lockCatalog } from "../lock-catalog.ts";
import { listPriceChanges, type PriceChanges } from "./price-change-queries.ts";
import {
  findKnownProducts,
  listResellerCurrencies,
  mergePrices,
  type PriceKey,
} from "./price-import-queries.ts";
import { type ParsedPrice, PRICE_COLUMNS, type PriceColumn, parsePriceRow } from "./price-row.ts";

export type PriceFault = { line: number; reason: string };
export type ImportedPrices = { created: number; updated: number; unchanged: number };
/** `faults` counts the faulty rows. Those of an import that took place were left out. */
export type ImportPricesResult =
  | ({ ok: true; faults?: number } & ImportedPrices)
  | { ok: false; faults: number };

/** A file is read into memory as a whole. Split a larger one. */
export const PRICE_ROWS_MAX = 500_000;
/** So many changes are listed for a preview. */
const CHANGES_SHOWN_MAX = 200;

export type ImportPricesInput = {
  file: FileSource;
  /** Leaves faulty rows out and sets the other prices, if there are any. */
  takeGood?: boolean | undefined;
  onFault(fault: PriceFault): void;
  onProgress?(rows: number): void;
  onBytes?(bytes: number): void;
  /** Called before anything is written, with what differs. */
  onChanges?(changes: PriceChanges): void;
  /** Called in the transaction of the import, at its end. Whatever it throws undoes the import. */
  inTransaction?(tx: Tx, imported: ImportedPrices): Promise<void>;
};

/**
 * Sets the prices in a CSV file: all or none, or with `takeGood` those without a fault. Every faulty row is reported. Prices that are not in the file stay as
 * they are. All new prices take effect together, from the next request on.
 */
export async function importPrices(
  db: Db,
  clock: Clock,
  input: ImportPricesInput,
): Promise<ImportPricesResult> {
  let faults = 0;
  const report = (fault: PriceFault): void => {
    faults += 1;
    input.onFault(fault);
  };
  const rows = readCsvTable(
    input.file,
    { known: PRICE_COLUMNS, required: ["product", "amount"] },
    input.onBytes,
  );
  const read = await readPrices(rows, await listResellerCurrencies(db), { ...input, onFault: report });
  const merged = await db.transaction(async (tx) => {
    await lockCatalog(tx);
    const prices = await keepKnownProducts(tx, read, report);
    if (faults > 0 && !(input.takeGood && prices.length > 0)) return undefined;
    if (input.onChanges) input.onChanges(await listPriceChanges(tx, prices, CHANGES_SHOWN_MAX));
    const counts = await mergePrices(tx, prices, clock.now());
    await input.inTransaction?.(tx, counts);
    return counts;
  });
  if (merged === undefined) return { ok: false, faults };
  return { ok: true, ...merged, ...(faults > 0 ? { faults } : {}) };
}

async function readPrices(
  rows: AsyncIterable<TableRow<PriceColumn>>,
  currencies: ReadonlyMap<string, string>,
  { onFault, onProgress }: ImportPricesInput,
): Promise<ParsedPrice[]> {
  const prices: ParsedPrice[] = [];
  const lineOf = new Map<string, number>();
  let read = 0;
  for await (const row of rows) {
    read += 1;
    if (read > PRICE_ROWS_MAX) throw new RangeError(`a file can have at most ${PRICE_ROWS_MAX} prices`);
    onProgress?.(read);
    const parsed = "fault" in row ? row : parsePriceRow(row, currencies);
    if ("fault" in parsed) {
      onFault({ line: row.line, reason: parsed.fault });
      continue;
    }
    const first = lineOf.get(keyText(parsed));
    if (first !== undefined) {
      onFault({ line: row.line, reason: `product: duplicate price; see line ${first}` });
      continue;
    }
    lineOf.set(keyText(parsed), row.line);
    prices.push(parsed);
  }
  return prices;
}

const keyText = ({ productId, priceList, resellerId, currency }: PriceKey): string =>
  `${productId} ${priceList ?? ""} ${resellerId ?? ""} ${currency}`;

async function keepKnownProducts(
  tx: Tx,
  prices: readonly ParsedPrice[],
  report: (fault: PriceFault) => void,
): Promise<ParsedPrice[]> {
  const known = await findKnownProducts(tx, [...new Set(prices.map(({ productId }) => productId))]);
  return prices.filter(({ line, productId }) => {
    if (known.has(productId)) return true;
    report({ line, reason: `product: there is no product "${productId}"` });
    return false;
  });
}
