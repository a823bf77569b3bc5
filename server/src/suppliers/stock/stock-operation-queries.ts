import sql, { empty, type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { GoodsType } from "../goods.ts";

export const LISTED_STATES = [
  "stock",
  "expired",
  "withdrawn",
  "damaged",
  "quarantined",
  "delivered",
] as const;
export type ListedState = (typeof LISTED_STATES)[number];

/** Which codes of a product that are in stock. Without ids or a count, all of them. */
export type StockChoice = {
  productId: string;
  supplierId: string | undefined;
  ids: readonly string[] | undefined;
  count: number | undefined;
};

/** Codes that expire last are withdrawn first, because the others sell first. Expired codes count as in stock here. */
export async function markWithdrawn(tx: Tx, choice: StockChoice): Promise<string[]> {
  const { productId, supplierId, ids, count } = choice;
  const rows = await tx.rows<{ id: string }>(sql`
    update codes set state = 'withdrawn'
    where id in (
      select c.id from codes c
      where c.product_id = ${productId} and c.state in ('stock', 'expired')
        ${supplierId === undefined ? empty : sql`and c.supplier_id = ${supplierId}`}
        ${ids === undefined ? empty : sql`and c.id = any(${ids}::text[])`}
      order by c.product_id, c.supplier_id, c.expires_at desc, c.id desc
      limit ${count ?? null}
      for update skip locked
    )
    returning id`);
  return rows.map(({ id }) => id).sort();
}

/**
 * Marks codes that unfinished all-or-nothing orders hold: they are withdrawn when they return. With a count nothing is
 * marked, because that many codes are withdrawn from stock.
 */
export async function markWithdrawOnReturn(tx: Tx, choice: StockChoice): Promise<string[]> {
  const { productId, supplierId, ids, count } = choice;
  if (count !== undefined) return [];
  const rows = await tx.rows<{ id: string }>(sql`
    update codes set withdraw_on_return = true
    where id in (
      select c.id from order_work w
      join orders o on o.id = w.order_id and o.all_or_nothing and o.status = 'processing'
      join codes c on c.order_id = o.id and c.state = 'delivered' and c.environment = 'live'
      where c.product_id = ${productId}
        and exists (select from suppliers s where s.id = c.supplier_id and s.has_own_stock)
        ${supplierId === undefined ? empty : sql`and c.supplier_id = ${supplierId}`}
        ${ids === undefined ? empty : sql`and c.id = any(${ids}::text[])`}
      order by c.id for update of c
    )
    returning id`);
  return rows.map(({ id }) => id).sort();
}

/** Codes that a restore set aside, and that would return to stock if they were not sold. Withdrawn now, they do not. */
export const withdrawSetAside = (tx: Tx, { productId, supplierId, ids, count }: StockChoice) =>
  count !== undefined
    ? Promise.resolve([])
    : tx.rows<{ id: string }>(sql`
        update restored_codes r set may_return = false from codes c
        where c.id = r.code_id and r.may_return and r.released_at is null and c.product_id = ${productId}
          ${supplierId === undefined ? empty : sql`and c.supplier_id = ${supplierId}`}
          ${ids === undefined ? empty : sql`and c.id = any(${ids}::text[])`}
        returning r.code_id as id`);

export type StockOperation = {
  action: "withdraw" | "export";
  productId: string;
  supplierId: string | undefined;
  codeCount: number;
  reason: string;
  now: Date;
};

export const insertStockOperation = (db: Queryable, one: StockOperation) =>
  db.rows(sql`
    insert into stock_operations (action, product_id, supplier_id, code_count, reason, done_at)
    values (${one.action}, ${one.productId}, ${one.supplierId ?? null}, ${one.codeCount}, ${one.reason}, ${one.now})`);

export type StockPage = {
  productId: string;
  supplierId: string | undefined;
  state: ListedState;
  afterId: string;
  limit: number;
};

export type ListedCode = {
  id: string;
  supplierId: string;
  state: ListedState;
  type: GoodsType;
  expiresAt: Date | null;
  createdAt: Date;
  orderId: string | null;
};

const ofPage = ({ productId, supplierId, state, afterId }: StockPage): Sql => sql`
  environment = 'live' and product_id = ${productId} and state = ${state} and id > ${afterId}
  ${supplierId === undefined ? empty : sql`and supplier_id = ${supplierId}`}`;

/** Codes in the order of their import, without their content. */
export const listCodes = (db: Queryable, page: StockPage) =>
  db.rows<ListedCode>(sql`
    select id, supplier_id as "supplierId", state, type, expires_at as "expiresAt", created_at as "createdAt",
           order_id as "orderId"
    from codes where ${ofPage(page)} order by id limit ${page.limit}`);

export type SealedCode = { id: string; type: GoodsType; sealed: Buffer; expiresAt: Date | null };

/**
 * After a restore a code may be withdrawn because it was sold, or until it is known to be unsold. Nobody gets such a code in plain
 * text.
 */
const isNotOfARestore: Sql = sql`
  not exists (select from restored_codes r where r.code_id = codes.id and r.released_at is null)
  and not (withdraw_on_return and exists (select from restores r where codes.created_at <= r.since))`;

export const listCodesToExport = (db: Queryable, page: StockPage) =>
  db.rows<SealedCode>(sql`
    select id, type, sealed, expires_at as "expiresAt" from codes
    where ${ofPage(page)} and ${isNotOfARestore} order by id limit ${page.limit}`);

export async function countCodesToExport(db: Queryable, page: StockPage): Promise<number> {
  const [row] = await db.rows<{ count: number }>(sql`
    select count(*)::integer as count from codes where ${ofPage(page)} and ${isNotOfARestore}`);
  return row?.count ?? 0;
}
