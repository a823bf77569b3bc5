import sql, { raw } from "sql-template-tag";
import type { Tx } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import type { GoodsType } from "../goods.ts";

/** One code on its way into stock: sealed and digested, nothing of it in plain. */
export type StagedCode = {
  line: number;
  id: string;
  type: GoodsType;
  sealed: Buffer;
  digest: Buffer;
  expiresAt: string | null;
};

const FAULTS_PER_FETCH = 1_000;

/** Any fixed number that is the same in every process. */
const STOCK_IMPORT_LOCK = 7_242_010;

/** Imports take turns, because two with codes in common would deadlock. False while another one runs. */
export async function tryLockStockImport(tx: Tx): Promise<boolean> {
  const [row] = await tx.rows<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${STOCK_IMPORT_LOCK}) as locked`,
  );
  return row?.locked ?? false;
}

export async function lockStockImport(tx: Tx): Promise<void> {
  await tx.rows(sql`select pg_advisory_xact_lock(${STOCK_IMPORT_LOCK})`);
}

/**
 * Takes the table lock of an insert before the first code is sealed. It blocks no one else, but a rotation of the master key
 * waits for it; the codes of a long import reach the table only at its end.
 */
export async function announceNewCodes(tx: Tx): Promise<void> {
  await tx.rows(sql`lock table codes in row exclusive mode`);
}

/** Holds the rows until the file is known to be valid: a refused file leaves nothing in the real table. */
export async function createStaging(tx: Tx): Promise<void> {
  await tx.rows(sql`
    create temporary table staged_codes (
      line integer not null,
      id text collate "C" not null,
      type text not null,
      sealed bytea not null,
      digest bytea not null,
      expires_at timestamptz(3)
    ) on commit drop`);
}

export async function insertStaged(tx: Tx, codes: readonly StagedCode[]): Promise<void> {
  await tx.rows(sql`
    insert into staged_codes (line, id, type, sealed, digest, expires_at)
    select line, id, type, sealed, digest, expires_at from unnest(
      ${codes.map(({ line }) => line)}::integer[], ${codes.map(({ id }) => id)}::text[],
      ${codes.map(({ type }) => type)}::text[], ${codes.map(({ sealed }) => sealed)}::bytea[],
      ${codes.map(({ digest }) => digest)}::bytea[], ${codes.map(({ expiresAt }) => expiresAt)}::timestamptz[]
    ) as code (line, id, type, sealed, digest, expires_at)`);
}

/** A table that is filled and read in one transaction has no statistics without this. */
export async function analyzeStaging(tx: Tx): Promise<void> {
  await tx.rows(sql`analyze staged_codes`);
}

/** A code that the file has twice: the later line, and the first. */
export type DuplicateRow = { line: number; column: string; firstLine: number };

/** A cursor, because a file may have as many duplicates as rows. */
export async function openDuplicates(tx: Tx): Promise<void> {
  await tx.rows(sql`
    declare duplicate_codes no scroll cursor for
    select line, type as "column", first_line as "firstLine"
    from (
      select line, type, first_value(line) over same_code as first_line, row_number() over same_code as occurrence
      from staged_codes
      window same_code as (partition by digest order by line)
    ) numbered
    where occurrence > 1
    order by line`);
}

export const fetchDuplicates = (tx: Tx): Promise<DuplicateRow[]> =>
  tx.rows<DuplicateRow>(sql`fetch forward ${raw(String(FAULTS_PER_FETCH))} from duplicate_codes`);

/** A code of the file that has been here before, in stock or out of it. */
export type KnownRow = {
  line: number;
  /** The column that it is in: code or url. */
  column: string;
  id: string;
  state: "stock" | "delivered" | "expired" | "damaged" | "withdrawn" | "lost";
};

export async function openKnown(tx: Tx): Promise<void> {
  await tx.rows(sql`
    declare known_codes no scroll cursor for
    select s.line, s.type as "column", c.id, c.state
    from staged_codes s join codes c on c.digest = s.digest and c.state <> 'quarantined' and c.id <> s.id
    union all
    select s.line, s.type, '', 'lost' from staged_codes s join lost_codes l on l.digest = s.digest
    order by line`);
}

export const fetchKnown = (tx: Tx): Promise<KnownRow[]> =>
  tx.rows<KnownRow>(sql`fetch forward ${raw(String(FAULTS_PER_FETCH))} from known_codes`);

export async function closeKnown(tx: Tx): Promise<void> {
  await tx.rows(sql`close known_codes`);
}

/** Leaves what is good: none that is known, and of a code that the file has twice the first. One statement each, so that each is a join. */
export async function dropFaulty(tx: Tx): Promise<void> {
  await tx.rows(sql`
    delete from staged_codes where id in (
      select id from (
        select id, row_number() over (partition by digest order by line) as occurrence from staged_codes
      ) numbered
      where occurrence > 1)`);
  await tx.rows(sql`
    delete from staged_codes s using codes c where c.digest = s.digest and c.state <> 'quarantined'`);
  await tx.rows(sql`delete from staged_codes s using lost_codes l where l.digest = s.digest`);
}

export async function countStaged(tx: Tx): Promise<number> {
  const [row] = await tx.rows<{ count: number }>(sql`select count(*)::integer as count from staged_codes`);
  return row?.count ?? 0;
}

/** Codes that were imported together. A null cost is not known: then they cost what the route says. */
export type StockBatch = {
  id: string;
  productId: string;
  supplierId: string;
  count: number;
  costMinor: bigint | null;
  costCurrency: string | null;
  actor: Actor;
  now: Date;
};

export const insertBatch = (tx: Tx, batch: StockBatch) =>
  tx.rows(sql`
    insert into stock_batches (id, product_id, supplier_id, code_count, cost_minor, cost_currency, actor_kind, actor_id,
                               imported_at)
    values (${batch.id}, ${batch.productId}, ${batch.supplierId}, ${batch.count}, ${batch.costMinor},
            ${batch.costCurrency}, ${batch.actor.kind}, ${batch.actor.id}, ${batch.now})`);

/** Returns the number of new codes. A code that became known a moment ago is left out. */
export async function insertStock(
  tx: Tx,
  stock: Pick<StockBatch, "id" | "productId" | "supplierId" | "now">,
): Promise<number> {
  const [row] = await tx.rows<{ inserted: number }>(sql`
    with inserted as (
      insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest, expires_at, created_at,
                         batch_id)
      select id, 'live', ${stock.productId}, ${stock.supplierId}, 'stock', type, sealed, digest, expires_at, ${stock.now},
             ${stock.id}
      from staged_codes order by line
      on conflict (digest) where state <> 'quarantined' do nothing
      returning 1
    )
    select count(*)::integer as inserted from inserted`);
  return row?.inserted ?? 0;
}
