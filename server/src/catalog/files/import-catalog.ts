import type { Db, Tx } from "../../db/database.ts";
import type { FileSource } from "../../lib/csv/read-csv-table.ts";
import { lockCatalog } from "../lock-catalog.ts";
import type { Fault } from "../member-reader.ts";
import { toDetailColumns } from "../product-details.ts";
import {
  analyzeStaging,
  type ChangeCounts,
  closeDuplicates,
  countChanges,
  countStaged,
  createStaging,
  dropDuplicates,
  fetchDuplicates,
  insertNewProducts,
  insertStaged,
  type OrdinalRange,
  openDuplicates,
  returnToSavepoint,
  type StagedProduct,
  setSavepoint,
  updateChangedProducts,
} from "./import-queries.ts";
import { openCatalogFile } from "./open-catalog-file.ts";
import { type ImportedProduct, parseProductRow } from "./product-file.ts";
import type { ReadRow } from "./read-json-products.ts";
import { isDataError, reportRefusedRows } from "./report-refused-rows.ts";

export type ImportFault = { line: number; id?: string; reason: string };

/** `faults` counts the faulty rows and the faults of the file as a whole. Those of an import that took place were left out. */
export type ImportResult = ({ ok: true; faults?: number } & ChangeCounts) | { ok: false; faults: number };

type ImportListener = {
  /** Leaves faulty rows out and imports the others, if there are any. */
  takeGood?: boolean | undefined;
  onFault(fault: ImportFault): void;
  onProgress?(rows: number): void;
  /** Called with the number of bytes read since the last call. */
  onBytes?(bytes: number): void;
  /** Called in the transaction of the import, before anything changes, with what will. */
  onChanges?(tx: Tx, counts: ChangeCounts): Promise<void>;
  /** Called in the transaction of the import, at its end. Whatever either of them throws undoes the import. */
  inTransaction?(tx: Tx, counts: ChangeCounts): Promise<void>;
};

/** A batch is sent when it has this many rows or this much text, so that large rows do not add up. */
const BATCH_ROWS_MAX = 1_000;
const BATCH_CHARACTERS_MAX = 4_000_000;

/**
 * Imports a catalog file (CONTRACT 8): all rows or none, or with `takeGood` those without a fault. Faults are reported as they are
 * found, so a file of any size needs little memory. Products missing from the file stay as they are.
 */
export async function importCatalog(
  db: Db,
  input: ImportListener & { file: FileSource },
): Promise<ImportResult> {
  const file = await openCatalogFile(input.file, input.onBytes);
  try {
    return await importRows(db, file.rows, input);
  } finally {
    await file.close();
  }
}

/** The same for rows from another source. */
export async function importRows(
  db: Db,
  rows: AsyncIterable<ReadRow>,
  listener: ImportListener,
): Promise<ImportResult> {
  let faults = 0;
  const report = (fault: ImportFault): void => {
    faults += 1;
    listener.onFault(makePrintable(fault));
  };
  try {
    const counts = await db.transaction(async (tx) => {
      await createStaging(tx);
      const last = await stageBatches(tx, toBatches(rows, report), listener);
      await reportDuplicates(tx, report);
      if (faults > 0) await leaveOut(tx, listener);
      const merged = await merge(tx, { first: 1, last }, report, listener);
      await listener.inTransaction?.(tx, merged);
      return merged;
    });
    return { ok: true, ...counts, ...(faults > 0 ? { faults } : {}) };
  } catch (error) {
    if (error instanceof CatalogRefused) return { ok: false, faults };
    throw error;
  }
}

/** Rolls the transaction back. The faults have already been reported. */
class CatalogRefused extends Error {}

/** Faulty rows are not staged, and of a duplicate the first line stays. */
async function leaveOut(tx: Tx, { takeGood }: ImportListener): Promise<void> {
  if (!takeGood) throw new CatalogRefused();
  await dropDuplicates(tx);
  if ((await countStaged(tx)) === 0) throw new CatalogRefused();
}

type Report = (fault: ImportFault) => void;

const REASON_CHARACTERS_MAX = 2_000;

/** A reason can quote the file. The output must be short and free of terminal escapes. */
function makePrintable(fault: ImportFault): ImportFault {
  const clean = (text: string) => text.slice(0, REASON_CHARACTERS_MAX).replace(/\p{Cc}/gu, "�");
  return {
    ...fault,
    ...(fault.id === undefined ? {} : { id: clean(fault.id) }),
    reason: clean(fault.reason),
  };
}

type Batch = { products: StagedProduct[]; rowsRead: number };

/**
 * Reads the next batch while the database processes the current one, which keeps two cores busy. Returns the number
 * of rows.
 */
async function stageBatches(
  tx: Tx,
  batches: AsyncGenerator<Batch>,
  listener: ImportListener,
): Promise<number> {
  let rows = 0;
  let reading = batches.next();
  for (;;) {
    const batch = await reading;
    if (batch.done) return rows;
    const staging = insertStaged(tx, batch.value.products);
    reading = batches.next();
    // Waits for both, whichever fails: the rollback must not run during an open statement.
    const [staged] = await Promise.allSettled([staging, reading]);
    if (staged.status === "rejected") throw staged.reason;
    rows = batch.value.rowsRead;
    listener.onProgress?.(rows);
  }
}

async function* toBatches(rows: AsyncIterable<ReadRow>, report: Report): AsyncGenerator<Batch> {
  let products: StagedProduct[] = [];
  let characters = 0;
  let rowsRead = 0;
  for await (const row of rows) {
    rowsRead += 1;
    const product = toStaged(row, rowsRead, report);
    if (product) {
      products.push(product);
      characters += sizeOf(product);
    }
    if (rowsRead % BATCH_ROWS_MAX !== 0 && characters < BATCH_CHARACTERS_MAX) continue;
    yield { products, rowsRead };
    products = [];
    characters = 0;
  }
  yield { products, rowsRead };
}

/** The texts that can be long. */
const sizeOf = ({ input_fields, description, redeem_instructions, terms }: StagedProduct): number =>
  [input_fields, description, redeem_instructions, terms].reduce((sum, text) => sum + (text?.length ?? 0), 0);

function toStaged(row: ReadRow, ordinal: number, report: Report): StagedProduct | undefined {
  const { line } = row;
  if ("fault" in row) {
    report({ line, reason: row.fault });
    return undefined;
  }
  const result = parseProductRow(row.value);
  if ("product" in result) return toColumns(result.product, { ordinal, line });
  report({ line, ...findId(row), reason: joinReasons(result.faults) });
  return undefined;
}

const toColumns = (product: ImportedProduct, at: { ordinal: number; line: number }): StagedProduct => ({
  ordinal: at.ordinal,
  line: at.line,
  id: product.id,
  name: product.name,
  type: product.type,
  face_value_amount: product.faceValue.amount,
  face_value_currency: product.faceValue.currency,
  face_value_unit: product.faceValue.unit,
  face_value_is_money: product.faceValue.isMoney,
  bonus: product.bonus,
  min_quantity: product.minQuantity,
  max_quantity: product.maxQuantity,
  input_fields: JSON.stringify(product.inputFields),
  active: product.active ?? null,
  hidden: product.hidden ?? null,
  ...toDetailColumns(product.details),
});

const ID_SHOWN_CHARACTERS_MAX = 64;

/** The id helps to find a faulty row. It can itself be the fault, so it is cut. */
function findId(row: { value: unknown }): { id?: string } {
  const { value } = row;
  if (value === null || typeof value !== "object" || !("id" in value) || typeof value.id !== "string")
    return {};
  return value.id === "" ? {} : { id: value.id.slice(0, ID_SHOWN_CHARACTERS_MAX) };
}

const REASONS_SHOWN_MAX = 20;

function joinReasons(faults: readonly Fault[]): string {
  const shown = faults
    .slice(0, REASONS_SHOWN_MAX)
    .map(({ path, reason }) => (path === "" ? reason : `${path}: ${reason}`));
  const more = faults.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

/** The fault is on the later line, and it names the first. */
async function reportDuplicates(tx: Tx, report: Report): Promise<void> {
  await analyzeStaging(tx);
  await openDuplicates(tx);
  for (;;) {
    const duplicates = await fetchDuplicates(tx);
    for (const { id, line, firstLine } of duplicates) {
      report({ line, id, reason: `id: duplicate of line ${firstLine}` });
    }
    if (duplicates.length === 0) return closeDuplicates(tx);
  }
}

/**
 * Takes the lock before any read or write, so that two imports take turns instead of deadlocking. A statement raises
 * the catalog revision even if it changes no row, so no statement runs without work.
 */
async function merge(
  tx: Tx,
  rows: OrdinalRange,
  report: Report,
  listener: ImportListener,
): Promise<ChangeCounts> {
  await lockCatalog(tx);
  const counts = await countChanges(tx);
  await listener.onChanges?.(tx, counts);
  await setSavepoint(tx);
  try {
    if (counts.created > 0) await insertNewProducts(tx);
    if (counts.updated > 0) await updateChangedProducts(tx);
  } catch (error) {
    if (!isDataError(error)) throw error;
    await returnToSavepoint(tx);
    if ((await reportRefusedRows(tx, rows, report)) === 0) throw error;
    await leaveOut(tx, listener);
    return merge(tx, rows, report, { ...listener, takeGood: false });
  }
  return counts;
}
