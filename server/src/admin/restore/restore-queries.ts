import sql, { type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";

/** A code of the operator's own stock. Both databases digest codes with the same key. */
export type StockCode = { id: string; digest: Buffer; createdAt: Date };

export type CodePage = { afterId: string; limit: number };

/** Codes that can be sold. */
export const listStock = (db: Queryable, { afterId, limit }: CodePage) =>
  db.rows<StockCode>(sql`
    select id, digest, created_at as "createdAt" from codes
    where state in ('stock', 'expired') and environment = 'live' and id > ${afterId}
    order by id limit ${limit}`);

/** Those that an earlier run set aside without knowing whether they were sold. */
export const listHeldCodes = (db: Queryable, { afterId, limit }: CodePage) =>
  db.rows<StockCode>(sql`
    select c.id, c.digest, c.created_at as "createdAt" from restored_codes r join codes c on c.id = r.code_id
    where r.may_return and r.released_at is null and r.code_id > ${afterId}
    order by r.code_id limit ${limit}`);

export async function countStockAfter(db: Queryable, since: Date): Promise<number> {
  const [row] = await db.rows<{ count: number }>(sql`
    select count(*)::integer as count from codes
    where state in ('stock', 'expired') and environment = 'live' and created_at > ${since}`);
  return row?.count ?? 0;
}

/** Which of these codes are not known here. */
export async function findUnknown(db: Queryable, digests: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await db.rows<{ digest: Buffer }>(sql`
    select one.digest from unnest(${digests}::bytea[]) as one (digest)
    where not exists (select from codes c where c.digest = one.digest)`);
  return rows.map(({ digest }) => digest);
}

export async function insertRestore(
  tx: Tx,
  one: { since: Date; knowsSold: boolean; now: Date },
): Promise<bigint> {
  const [row] = await tx.rows<{ id: bigint }>(sql`
    insert into restores (since, knows_sold, done_at) values (${one.since}, ${one.knowsSold}, ${one.now})
    returning id`);
  if (!row) throw new Error("the restore was not recorded");
  return row.id;
}

export const insertLostCodes = (tx: Tx, restoreId: bigint, digests: readonly Buffer[]) =>
  tx.rows(sql`
    insert into lost_codes (digest, restore_id) select distinct one, ${restoreId}::bigint
    from unnest(${digests}::bytea[]) as one
    on conflict do nothing`);

export type MovedStock = { productId: string; count: number };

const byProduct = (moved: Sql): Sql =>
  sql`select product_id as "productId", count(*)::integer as count from ${moved} group by product_id order by product_id`;

/** Takes codes out of stock, and records why. */
export const setCodesAside = (
  tx: Tx,
  restoreId: bigint,
  { ids, mayReturn }: { ids: readonly string[]; mayReturn: boolean },
) =>
  tx.rows<MovedStock>(sql`
    with taken as (
      update codes set state = 'withdrawn'
      where id = any(${ids}::text[]) and state in ('stock', 'expired')
      returning id, product_id
    ), noted as (
      insert into restored_codes (code_id, restore_id, may_return)
      select id, ${restoreId}::bigint, ${mayReturn} from taken
      on conflict (code_id) do update
      set restore_id = excluded.restore_id, may_return = excluded.may_return, released_at = null
    )
    ${byProduct(sql`taken`)}`);

/** They stay set aside for good. */
export const markSold = (tx: Tx, restoreId: bigint, ids: readonly string[]) =>
  tx.rows(sql`
    update restored_codes set may_return = false, restore_id = ${restoreId}::bigint
    where code_id = any(${ids}::text[]) and may_return and released_at is null`);

/** Codes that were set aside and turn out to be unsold can be sold again, unless they have expired. */
export const releaseCodes = (tx: Tx, ids: readonly string[], now: Date) =>
  tx.rows<MovedStock>(sql`
    with released as (
      update restored_codes set released_at = ${now}
      where code_id = any(${ids}::text[]) and may_return and released_at is null
      returning code_id
    ), returned as (
      update codes c set state = case when c.expires_at <= ${now} then 'expired' else 'stock' end
      from released r where c.id = r.code_id and c.state = 'withdrawn'
      returning c.product_id
    )
    ${byProduct(sql`returned`)}`);

/**
 * Codes that all-or-nothing orders from before the restore still hold. The lost database may have given them back and sold them to
 * others, so they do not return to stock.
 */
export const keepHeldFromReturning = (tx: Tx, since: Date) =>
  tx.rows<{ id: string }>(sql`
    update codes set withdraw_on_return = true
    where id in (
      select c.id from order_work w
      join orders o on o.id = w.order_id and o.all_or_nothing and o.status = 'processing' and o.created_at <= ${since}
      join codes c on c.order_id = o.id and c.state = 'delivered' and c.environment = 'live'
      join suppliers s on s.id = c.supplier_id and s.has_own_stock
      order by c.id for update of c
    )
    returning id`);
