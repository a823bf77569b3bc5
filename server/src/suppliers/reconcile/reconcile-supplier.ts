import { createHash, type Hash } from "node:crypto";
import type { Db, Tx } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { type FileSource, readFileBytes } from "../../lib/csv/read-csv-table.ts";
import { idsOf } from "../../lib/ids.ts";
import type { Keyring } from "../../vault/keyring.ts";
import { withSupplier } from "../calls/test-supplier.ts";
import { getSupplier } from "../get-supplier.ts";
import { findKind } from "../registry.ts";
import type { StatementRow } from "../supplier.ts";
import { insertReconciliation, type SupplierReconciliation, workOutBalances } from "./keep-reconciliation.ts";
import { readStatementFile } from "./read-statement-file.ts";
import { createReconciler, type Finding, type Reconciliation } from "./reconcile.ts";
import { insertReversals, listBooked, type PurchaseKey } from "./reconcile-queries.ts";

export type ReconcileInput = {
  /** The statement as CSV. Without it the supplier is asked. */
  file?: FileSource | undefined;
  from: Date | undefined;
  to: Date | undefined;
  /** Our balance at the supplier at both ends, and what was paid in between, as decimal text. */
  balances?: { opening: string; closing: string; deposits: string } | undefined;
};

export type ReconcileDeps = { db: Db; clock: Clock; keyring: Keyring };

const ENTRIES_MAX = 2_000_000;

/**
 * Compares a supplier's statement with our purchases, and keeps what was found. Reversals are noted, so that a person decides about
 * them; what `finish` writes, it writes in the same transaction.
 */
export async function reconcileSupplier(
  deps: ReconcileDeps,
  supplierId: string,
  { file, from, to, balances }: ReconcileInput,
  actor: Actor,
  finish?: (tx: Tx, report: SupplierReconciliation) => Promise<void>,
): Promise<SupplierReconciliation> {
  const { kind } = await getSupplier(deps.db, supplierId);
  const hash = createHash("sha256");
  const pages =
    file === undefined
      ? await readFromSupplier(deps, supplierId, from, to)
      : await readAll(readStatementFile(hashed(file, hash)));
  const period = periodOf(pages, from, to);
  const inside = pages.map((page) =>
    page.filter((row) => !("at" in row) || !row.at || (row.at >= period.from && row.at < period.to)),
  );
  const about = {
    id: idsOf(deps.clock)("rcn"),
    supplierId,
    ...period,
    fileDigest: file === undefined ? undefined : hash.digest(),
  };
  let report: SupplierReconciliation | undefined;
  await compare(deps, { supplierId, kind, ...period }, inside, async (tx, found) => {
    const given = balances && workOutBalances(found.totals, balances);
    report = { ...about, ...found, balances: given };
    await insertReconciliation(tx, report, actor, deps.clock.now());
    await finish?.(tx, report);
  });
  if (!report) throw new Error("a comparison ended without its report");
  return report;
}

async function* hashed(file: FileSource, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of readFileBytes(file)) {
    hash.update(chunk);
    yield chunk;
  }
}

type Compared = Reconciliation & { findings: Finding[]; newReversals: number };

async function compare(
  { db, clock }: Pick<ReconcileDeps, "db" | "clock">,
  { supplierId, kind, from, to }: { supplierId: string; kind: string; from: Date; to: Date },
  pages: readonly (readonly StatementRow[])[],
  finish?: (tx: Tx, found: Compared) => Promise<void> | undefined,
): Promise<Compared> {
  const booked = await listBooked(db, supplierId, from, to);
  const findings: Finding[] = [];
  const reversed: PurchaseKey[] = [];
  const reconciler = createReconciler(booked, keyOfKind(kind), (finding, purchase) => {
    findings.push(purchase ? { ...finding, unit: parseReference(purchase.reference) } : finding);
    if (finding.kind === "reversal" && purchase) reversed.push(parseReference(purchase.reference));
  });
  for (const page of pages) reconciler.add(page);
  const result = reconciler.end();
  return db.transaction(async (tx) => {
    const added = reversed.length > 0 ? await insertReversals(tx, supplierId, reversed, clock.now()) : [];
    const found = { ...result, findings, newReversals: added.length };
    await finish?.(tx, found);
    return found;
  });
}

/** What a kind of supplier keeps of our reference. */
export function keyOfKind(name: string): (reference: string) => string {
  const kind = findKind(name);
  return (kind && !kind.hasOwnStock ? kind.keyOf : undefined) ?? ((reference) => reference);
}

/** `ord_….0.2.1` */
export function parseReference(reference: string): PurchaseKey {
  const [orderId = "", lineIndex, unitIndex, number] = reference.split(".");
  return { orderId, lineIndex: Number(lineIndex), unitIndex: Number(unitIndex), number: Number(number) };
}

async function readFromSupplier(
  deps: ReconcileDeps,
  supplierId: string,
  from: Date | undefined,
  to: Date | undefined,
): Promise<(readonly StatementRow[])[]> {
  if (!from || !to) throw new RangeError("give --from and --to, or the supplier's statement with --file");
  return withSupplier(deps, supplierId, (supplier) => {
    if (!supplier.readStatement)
      throw new RangeError("this kind of supplier cannot be asked for a statement; give one with --file");
    return readAll(supplier.readStatement(from, to));
  });
}

async function readAll(pages: AsyncIterable<readonly StatementRow[]>): Promise<(readonly StatementRow[])[]> {
  const read: (readonly StatementRow[])[] = [];
  let entries = 0;
  for await (const page of pages) {
    entries += page.length;
    if (entries > ENTRIES_MAX)
      throw new RangeError(`a statement has at most ${ENTRIES_MAX} lines; take a shorter period`);
    read.push(page);
  }
  return read;
}

/** The period that was asked for, or that of the statement. */
function periodOf(
  pages: readonly (readonly StatementRow[])[],
  from: Date | undefined,
  to: Date | undefined,
): { from: Date; to: Date } {
  if (from && to) {
    if (from >= to) throw new RangeError("--from must be before --to");
    return { from, to };
  }
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const row of pages.flat()) {
    const at = "at" in row ? row.at : undefined;
    // A row that cannot be read may have no time.
    if (!at && "odd" in row) continue;
    if (!at)
      throw new RangeError("the statement has rows without a time; give the period with --from and --to");
    first = Math.min(first, at.getTime());
    last = Math.max(last, at.getTime());
  }
  if (first > last) throw new RangeError("the statement is empty; give the period with --from and --to");
  return { from: from ?? new Date(first), to: to ?? new Date(last + 1) };
}

/** For the watch of reversals. */
export const compareStatement = compare;
