import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import { parseTypedAmount } from "../../lib/money.ts";
import type { CurrencyTotal, Finding, FindingKind, FindingUnit, Reconciliation } from "./reconcile.ts";

/** What left our balance at the supplier, and what of it the statement does not explain. */
export type Balances = {
  currency: string;
  openingMinor: bigint;
  closingMinor: bigint;
  depositsMinor: bigint;
  spentMinor: bigint;
  unexplainedMinor: bigint;
};

export type SupplierReconciliation = Reconciliation & {
  id: string;
  supplierId: string;
  from: Date;
  to: Date;
  findings: Finding[];
  balances: Balances | undefined;
  /** SHA-256 of the file. */
  fileDigest: Buffer | undefined;
  /** Reversals that were not known before. They raise an alert. */
  newReversals: number;
};

export function workOutBalances(
  totals: readonly CurrencyTotal[],
  given: Readonly<Record<"opening" | "closing" | "deposits", string>>,
): Balances {
  const [total, ...others] = totals;
  if (!total || others.length > 0)
    throw new RangeError("an opening and a closing balance need a statement in one currency");
  const { currency, theirsMinor } = total;
  const openingMinor = parseTypedAmount(given.opening, currency);
  const closingMinor = parseTypedAmount(given.closing, currency);
  const depositsMinor = parseTypedAmount(given.deposits, currency);
  return withSpent({ currency, openingMinor, closingMinor, depositsMinor }, theirsMinor);
}

const withSpent = (
  given: Pick<Balances, "currency" | "openingMinor" | "closingMinor" | "depositsMinor">,
  statementMinor: bigint,
): Balances => {
  const spentMinor = given.openingMinor + given.depositsMinor - given.closingMinor;
  return { ...given, spentMinor, unexplainedMinor: spentMinor - statementMinor };
};

export async function insertReconciliation(
  tx: Tx,
  report: SupplierReconciliation,
  actor: Actor,
  now: Date,
): Promise<void> {
  const { balances, totals } = report;
  const stored = totals.map(({ currency, oursMinor, theirsMinor, explained }) => ({
    ...{ currency, ours: String(oursMinor), theirs: String(theirsMinor) },
    explained: Object.fromEntries(Object.entries(explained).map(([kind, minor]) => [kind, String(minor)])),
  }));
  await tx.rows(sql`
    insert into reconciliations (
      id, supplier_id, compared_at, actor_kind, actor_id, period_from, period_to, file_digest, entries, matched, counts,
      totals, balance_currency, opening_minor, closing_minor, deposits_minor)
    values (${report.id}, ${report.supplierId}, ${now}, ${actor.kind}, ${actor.id}, ${report.from}, ${report.to},
            ${report.fileDigest ?? null}, ${report.entries}, ${report.matched}, ${JSON.stringify(report.counts)}::jsonb,
            ${JSON.stringify(stored)}::jsonb, ${balances?.currency ?? null}, ${balances?.openingMinor ?? null},
            ${balances?.closingMinor ?? null}, ${balances?.depositsMinor ?? null})`);
  const { findings } = report;
  for (let start = 0; start < findings.length; start += FINDINGS_AT_ONCE)
    await insertFindings(tx, report.id, findings.slice(start, start + FINDINGS_AT_ONCE), start);
}

const FINDINGS_AT_ONCE = 5_000;

function insertFindings(tx: Tx, id: string, findings: readonly Finding[], start: number) {
  const units = findings.map(({ unit }) => unit);
  return tx.rows(sql`
    insert into reconciliation_findings (
      reconciliation_id, number, kind, reference, upstream_id, order_id, line_index, unit_index, currency, ours_minor,
      theirs_minor, at, reason)
    select ${id}, ${start} + ordinality, kind, reference, upstream_id, order_id, line_index, unit_index, currency, ours, theirs,
           at, reason
    from unnest(
      ${findings.map(({ kind }) => kind)}::text[], ${findings.map(({ reference }) => storable(reference))}::text[],
      ${findings.map(({ upstreamId }) => storable(upstreamId))}::text[], ${units.map((unit) => unit?.orderId ?? null)}::text[],
      ${units.map((unit) => unit?.lineIndex ?? null)}::smallint[], ${units.map((unit) => unit?.unitIndex ?? null)}::integer[],
      ${findings.map(({ currency }) => currency)}::text[], ${findings.map(({ oursMinor }) => oursMinor)}::bigint[],
      ${findings.map(({ theirsMinor }) => theirsMinor)}::bigint[], ${findings.map(({ at }) => at ?? null)}::timestamptz[],
      ${findings.map(({ reason }) => reason ?? null)}::text[]
    ) with ordinality as found (
      kind, reference, upstream_id, order_id, line_index, unit_index, currency, ours, theirs, at, reason, ordinality)`);
}

const TEXT_MAX_CHARACTERS = 200;

/** PostgreSQL has no NUL in text, and a supplier can write anything. */
const storable = (text: string | undefined): string | null =>
  text === undefined ? null : text.slice(0, TEXT_MAX_CHARACTERS).toWellFormed().replaceAll("\0", "\ufffd");

export type KeptReconciliation = Pick<Reconciliation, "entries" | "matched" | "totals"> & {
  id: string;
  supplierId: string;
  supplierName: string;
  comparedAt: Date;
  actor: Actor;
  from: Date;
  to: Date;
  fileDigest: string | undefined;
  /** One that was made before a kind of finding was known has none of that kind. */
  counts: Partial<Record<FindingKind, number>>;
  balances: Balances | undefined;
};

type Row = Omit<KeptReconciliation, "totals" | "balances" | "fileDigest"> & {
  totals: { currency: string; ours: string; theirs: string; explained: Record<FindingKind, string> }[];
  fileDigest: string | null;
  currency: string | null;
  openingMinor: bigint;
  closingMinor: bigint;
  depositsMinor: bigint;
};

const columns = sql`
  r.id, r.supplier_id as "supplierId", s.name as "supplierName", r.compared_at as "comparedAt",
  jsonb_build_object('kind', r.actor_kind, 'id', r.actor_id) as actor, r.period_from as "from", r.period_to as "to",
  encode(r.file_digest, 'hex') as "fileDigest", r.entries, r.matched, r.counts, r.totals, r.balance_currency as currency,
  r.opening_minor as "openingMinor", r.closing_minor as "closingMinor", r.deposits_minor as "depositsMinor"`;

/** Newest first. */
export async function listReconciliations(
  db: Queryable,
  {
    supplierId,
    beforeId,
    limit,
  }: { supplierId?: string | undefined; beforeId?: string | undefined; limit: number },
): Promise<KeptReconciliation[]> {
  const rows = await db.rows<Row>(sql`
    select ${columns} from reconciliations r join suppliers s on s.id = r.supplier_id
    where (${supplierId ?? null}::text is null or r.supplier_id = ${supplierId ?? null})
      and (${beforeId ?? null}::text is null or r.id < ${beforeId ?? null})
    order by r.id desc limit ${limit}`);
  return rows.map(toKept);
}

export async function getReconciliation(db: Queryable, id: string): Promise<KeptReconciliation> {
  const [row] = await db.rows<Row>(sql`
    select ${columns} from reconciliations r join suppliers s on s.id = r.supplier_id where r.id = ${id}`);
  if (!row) throw new RangeError(`there is no reconciliation ${id}`);
  return toKept(row);
}

export type KeptFinding = Finding & { number: number };

/** In the order in which they were found. */
export async function listFindings(
  db: Queryable,
  id: string,
  { kind, after, limit }: { kind?: string | undefined; after: number; limit: number },
): Promise<KeptFinding[]> {
  const rows = await db.rows<KeptFinding & { [Key in keyof FindingUnit]: FindingUnit[Key] | null }>(sql`
    select number, kind, reference, upstream_id as "upstreamId", currency, ours_minor as "oursMinor", theirs_minor as "theirsMinor",
           at, reason, order_id as "orderId", line_index as "lineIndex", unit_index as "unitIndex"
    from reconciliation_findings
    where reconciliation_id = ${id} and number > ${after} and (${kind ?? null}::text is null or kind = ${kind ?? null})
    order by number limit ${limit}`);
  return rows.map(({ orderId, lineIndex, unitIndex, ...row }) => {
    const given = Object.entries(row).filter(([, value]) => value !== null);
    const finding = Object.fromEntries(given) as KeptFinding;
    if (orderId === null || lineIndex === null || unitIndex === null) return finding;
    return { ...finding, unit: { orderId, lineIndex, unitIndex } };
  });
}

function toKept({
  totals: stored,
  currency,
  openingMinor,
  closingMinor,
  depositsMinor,
  ...row
}: Row): KeptReconciliation {
  const totals = stored.map((total) => ({
    currency: total.currency,
    oursMinor: BigInt(total.ours),
    theirsMinor: BigInt(total.theirs),
    differenceMinor: BigInt(total.theirs) - BigInt(total.ours),
    explained: Object.fromEntries(
      Object.entries(total.explained).map(([kind, minor]) => [kind, BigInt(minor)]),
    ) as Record<FindingKind, bigint>,
  }));
  const given = currency === null ? undefined : { currency, openingMinor, closingMinor, depositsMinor };
  return {
    ...row,
    fileDigest: row.fileDigest ?? undefined,
    totals,
    balances: given && withSpent(given, totals[0]?.theirsMinor ?? 0n),
  };
}
