import type { Db, Tx } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { FileSource } from "../../lib/csv/read-csv-table.ts";
import type { Keyring } from "../../vault/keyring.ts";
import { withSupplier } from "../calls/test-supplier.ts";
import { getSupplier } from "../get-supplier.ts";
import { findKind } from "../registry.ts";
import type { StatementEntry } from "../supplier.ts";
import { readStatementFile } from "./read-statement-file.ts";
import { createReconciler, type Finding, type Reconciliation } from "./reconcile.ts";
import { insertReversals, listBooked, type PurchaseKey } from "./reconcile-queries.ts";

export type ReconcileInput = {
  /** The statement as CSV. Without it the supplier is asked. */
  file?: FileSource | undefined;
  from: Date | undefined;
  to: Date | undefined;
};

export type ReconcileDeps = { db: Db; clock: Clock; keyring: Keyring };

export type SupplierReconciliation = Reconciliation & {
  supplierId: string;
  from: Date;
  to: Date;
  findings: Finding[];
  /** Reversals that were not known before. They raise an alert. */
  newReversals: number;
};

const ENTRIES_MAX = 2_000_000;

/**
 * Compares a supplier's statement with our purchases. Reversals are noted, so that a person decides about them; what `finish` writes, it
 * writes in the same transaction.
 */
export async function reconcileSupplier(
  deps: ReconcileDeps,
  supplierId: string,
  { file, from, to }: ReconcileInput,
  finish?: (tx: Tx, report: SupplierReconciliation) => Promise<void>,
): Promise<SupplierReconciliation> {
  const { kind } = await getSupplier(deps.db, supplierId);
  const pages =
    file === undefined
      ? await readFromSupplier(deps, supplierId, from, to)
      : await readAll(readStatementFile(file));
  const period = periodOf(pages, from, to);
  const inside = pages.map((page) => page.filter(({ at }) => !at || (at >= period.from && at < period.to)));
  const asked = { supplierId, kind, ...period };
  const about = { supplierId, ...period };
  return {
    ...about,
    ...(await compare(deps, asked, inside, (tx, found) => finish?.(tx, { ...about, ...found }))),
  };
}

type Compared = Reconciliation & { findings: Finding[]; newReversals: number };

async function compare(
  { db, clock }: Pick<ReconcileDeps, "db" | "clock">,
  { supplierId, kind, from, to }: { supplierId: string; kind: string; from: Date; to: Date },
  pages: readonly (readonly StatementEntry[])[],
  finish?: (tx: Tx, found: Compared) => Promise<void> | undefined,
): Promise<Compared> {
  const booked = await listBooked(db, supplierId, from, to);
  const findings: Finding[] = [];
  const reversed: PurchaseKey[] = [];
  const reconciler = createReconciler(booked, keyOfKind(kind), (finding, purchase) => {
    findings.push(finding);
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
): Promise<(readonly StatementEntry[])[]> {
  if (!from || !to) throw new RangeError("give --from and --to, or the supplier's statement with --file");
  return withSupplier(deps, supplierId, (supplier) => {
    if (!supplier.readStatement)
      throw new RangeError("this kind of supplier cannot be asked for a statement; give one with --file");
    return readAll(supplier.readStatement(from, to));
  });
}

async function readAll(
  pages: AsyncIterable<readonly StatementEntry[]>,
): Promise<(readonly StatementEntry[])[]> {
  const read: (readonly StatementEntry[])[] = [];
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
  pages: readonly (readonly StatementEntry[])[],
  from: Date | undefined,
  to: Date | undefined,
): { from: Date; to: Date } {
  if (from && to) {
    if (from >= to) throw new RangeError("--from must be before --to");
    return { from, to };
  }
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { at } of pages.flat()) {
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
