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
export type ImportPricesResult = ({ ok: true } & ImportedPrices) | { ok: false; faults: number };

/** A file is read into memory as a whole. Split a larger one. */
export const PRICE_ROWS_MAX = 500_000;
/** So many changes are listed for a preview. */
const CHANGES_SHOWN_MAX = 200;

export type ImportPricesInput = {
  file: FileSource;
  onFault(fault: PriceFault): void;
  onProgress?(rows: number): void;
  onBytes?(bytes: number): void;
  /** Called before anything is written, with what differs. */
  onChanges?(changes: PriceChanges): void;
  /** Called in the transaction of the import, at its end. Whatever it throws undoes the import. */
  inTransaction?(tx: Tx, imported: ImportedPrices): Promise<void>;
};

/**
 * Sets the prices in a CSV file, all or none. Every faulty row is reported. Prices that are not in the file stay as
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
  const prices = await readPrices(rows, await listResellerCurrencies(db), { ...input, onFault: report });
  const merged = await db.transaction(async (tx) => {
    await lockCatalog(tx);
    await reportUnknownProducts(tx, prices, report);
    if (faults > 0) return undefined;
    if (input.onChanges) input.onChanges(await listPriceChanges(tx, prices, CHANGES_SHOWN_MAX));
    const counts = await mergePrices(tx, prices, clock.now());
    await input.inTransaction?.(tx, counts);
    return counts;
  });
  return merged === undefined ? { ok: false, faults } : { ok: true, ...merged };
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
    if (first !== undefined) onFault({ line: row.line, reason: `duplicate price; see line ${first}` });
    else lineOf.set(keyText(parsed), row.line);
    prices.push(parsed);
  }
  return prices;
}

const keyText = ({ productId, priceList, resellerId, currency }: PriceKey): string =>
  `${productId} ${priceList ?? ""} ${resellerId ?? ""} ${currency}`;

async function reportUnknownProducts(
  tx: Tx,
  prices: readonly ParsedPrice[],
  report: (fault: PriceFault) => void,
): Promise<void> {
  const known = await findKnownProducts(tx, [...new Set(prices.map(({ productId }) => productId))]);
  for (const { line, productId } of prices) {
    if (!known.has(productId)) report({ line, reason: `there is no product "${productId}"` });
  }
}
