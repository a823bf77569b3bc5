import type { Db, Tx } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import type { FileSource } from "../../lib/csv/read-csv-table.ts";
import { type Ids, idsOf } from "../../lib/ids.ts";
import { stockPlace } from "../../vault/code-place.ts";
import type { CodeVault } from "../../vault/code-vault.ts";
import { encodeGoods, identityOf } from "../goods.ts";
import { refreshSupply } from "../refresh-supply.ts";
import { readStockFile, type StockRow } from "./read-stock-file.ts";
import {
  analyzeStaging,
  announceNewCodes,
  closeKnown,
  countStaged,
  createStaging,
  dropFaulty,
  fetchDuplicates,
  fetchKnown,
  insertBatch,
  insertStaged,
  insertStock,
  type KnownRow,
  lockStockImport,
  openDuplicates,
  openKnown,
  type StagedCode,
  tryLockStockImport,
} from "./stock-import-queries.ts";
import { countAvailable } from "./stock-queries.ts";
import {
  findStockTarget,
  type OpenedStockTarget,
  openStockTarget,
  type StockTarget,
  type StockTargetInput,
} from "./stock-target.ts";

export type ImportStockDeps = {
  db: Db;
  clock: Clock;
  codeVault: CodeVault;
  digestCode: (text: string) => Buffer;
};

export type ImportStockInput = StockTargetInput & {
  file: FileSource;
  /** Who imports. By default the command. */
  actor?: Actor | undefined;
  /** Leaves faulty rows out and imports the other codes, if there are any. */
  takeGood?: boolean | undefined;
  onFault(fault: StockFault): void;
  onProgress?(rows: number): void;
  /** The number of further bytes read. */
  onBytes?(bytes: number): void;
  /** Another import is running, and this one waits for it. */
  onWaiting?(): void;
  /** Called in the transaction of the import, at its end: what it writes is there if, and only if, the codes are. */
  inTransaction?(tx: Tx, imported: ImportedStock): Promise<void>;
};

/** What is wrong on a line. It never repeats a code. */
export type StockFault = { line: number; reason: string };

export type ImportedStock = OpenedStockTarget &
  Pick<StockTarget, "cost"> & { productId: string; imported: number; level: number };
/** `faults` counts the faulty rows. Those of an import that took place were left out. */
export type ImportStockResult =
  | ({ ok: true; faults?: number } & ImportedStock)
  | { ok: false; faults: number };

const COMMAND: Actor = { kind: "command", id: "scrip stock" };
const BATCH_ROWS = 1_000;

/**
 * Brings codes into stock (CONTRACT 8): all of a file or nothing, or with `takeGood` those without a fault. Every code is sealed and digested here: nothing of it
 * reaches the database in plain. Every fault is reported as it is found, so that a file of any size needs little memory.
 */
export async function importStock(
  deps: ImportStockDeps,
  input: ImportStockInput,
): Promise<ImportStockResult> {
  const now = deps.clock.now();
  let faults = 0;
  const report = (fault: StockFault): void => {
    faults += 1;
    input.onFault(fault);
  };
  try {
    const imported = await deps.db.transaction(async (tx) => {
      await takeTurn(tx, input);
      const target = await findStockTarget(tx, input);
      await createStaging(tx);
      const rows = readStockFile(input.file, now, input.onBytes);
      await stageBatches(tx, toBatches(deps, target, rows, report), input);
      await reportDuplicates(tx, report);
      await reportKnown(tx, report);
      if (faults > 0 && input.takeGood) await dropFaulty(tx);
      const staged = await countStaged(tx);
      if (faults > 0 && !(input.takeGood && staged > 0)) throw new StockRefused();
      const { actor = COMMAND } = input;
      const stored = await store(tx, { target, staged, actor, ids: idsOf(deps.clock), now, report });
      await input.inTransaction?.(tx, stored);
      return stored;
    });
    await refreshSupply(deps.db, [input.productId], now);
    return { ok: true, ...imported, ...(faults > 0 ? { faults } : {}) };
  } catch (error) {
    if (error instanceof StockRefused) return { ok: false, faults };
    throw error;
  }
}

/** Rolls the transaction back. The faults have been reported. */
class StockRefused extends Error {}

type Report = (fault: StockFault) => void;

async function takeTurn(tx: Tx, input: ImportStockInput): Promise<void> {
  if (!(await tryLockStockImport(tx))) {
    input.onWaiting?.();
    await lockStockImport(tx);
  }
  await announceNewCodes(tx);
}

type Batch = { codes: StagedCode[]; rowsRead: number };

/** While the database takes one batch in, the next is sealed: each keeps one core busy. */
async function stageBatches(
  tx: Tx,
  batches: AsyncGenerator<Batch>,
  { onProgress }: ImportStockInput,
): Promise<void> {
  try {
    let reading = batches.next();
    for (;;) {
      const batch = await reading;
      if (batch.done) return;
      const { codes, rowsRead } = batch.value;
      const staging = insertStaged(tx, codes);
      reading = batches.next();
      // Both are waited for, whichever fails: the rollback must not run into an open statement.
      const [stored] = await Promise.allSettled([staging, reading]);
      if (stored.status === "rejected") throw stored.reason;
      onProgress?.(rowsRead);
    }
  } finally {
    // Closes the file, however far it was read.
    await batches.return(undefined);
  }
}

async function* toBatches(
  deps: ImportStockDeps,
  target: StockTarget,
  rows: AsyncIterable<StockRow>,
  report: Report,
): AsyncGenerator<Batch> {
  let codes: StagedCode[] = [];
  let rowsRead = 0;
  for await (const row of rows) {
    rowsRead += 1;
    if ("fault" in row) report({ line: row.line, reason: row.fault });
    else codes.push(sealRow(deps, target, row));
    if (rowsRead % BATCH_ROWS !== 0) continue;
    yield { codes, rowsRead };
    codes = [];
  }
  yield { codes, rowsRead };
}

function sealRow(
  { clock, codeVault, digestCode }: ImportStockDeps,
  { productId }: StockTarget,
  row: Extract<StockRow, { goods: unknown }>,
): StagedCode {
  const goods = row.goods.reveal();
  const identity = identityOf(goods);
  if (goods.type === "topup" || identity === undefined) throw new Error("a receipt cannot be put in stock");
  const id = idsOf(clock)("cod");
  return {
    line: row.line,
    id,
    type: goods.type,
    sealed: codeVault.seal(stockPlace(id, productId), encodeGoods(goods)),
    digest: digestCode(identity),
    expiresAt: goods.expiresAt ?? null,
  };
}

/** The later line is the duplicate; the report points to the first one. */
async function reportDuplicates(tx: Tx, report: Report): Promise<void> {
  await analyzeStaging(tx);
  await openDuplicates(tx);
  for (;;) {
    const duplicates = await fetchDuplicates(tx);
    if (duplicates.length === 0) return;
    for (const { line, column, firstLine } of duplicates)
      report({ line, reason: `${column}: duplicate of line ${firstLine}` });
  }
}

/** Names the id of the known code, so that the operator can see where it went without seeing the code. */
async function reportKnown(tx: Tx, report: Report): Promise<void> {
  await openKnown(tx);
  for (;;) {
    const known = await fetchKnown(tx);
    if (known.length === 0) return closeKnown(tx);
    for (const { line, column, id, state } of known) {
      const said = state === "lost" ? SOLD_BEFORE : `is known already: ${id}, ${STATES[state]}`;
      report({ line, reason: `${column}: ${said}` });
    }
  }
}

const SOLD_BEFORE = "was sold before the database was restored";
const STATES: Readonly<Record<Exclude<KnownRow["state"], "lost">, string>> = {
  stock: "in stock",
  delivered: "delivered",
  expired: "expired",
  damaged: "damaged",
  withdrawn: "withdrawn",
};

type Storing = { target: StockTarget; staged: number; actor: Actor; ids: Ids; now: Date; report: Report };

async function store(tx: Tx, { target, staged, actor, ids, now, report }: Storing): Promise<ImportedStock> {
  const { productId } = target;
  const opened = await openStockTarget(tx, target, ids, now);
  const stock = { id: ids("bat"), productId, supplierId: opened.supplierId, now };
  await insertBatch(tx, { ...stock, ...target.cost, count: staged, actor });
  const imported = await insertStock(tx, stock);
  if (imported < staged) {
    // A supplier delivered one of them while the file was being read.
    await reportKnown(tx, report);
    throw new StockRefused();
  }
  return { productId, ...opened, cost: target.cost, imported, level: await countAvailable(tx, stock) };
}
