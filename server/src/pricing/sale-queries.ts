import sql, { type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import { canSell } from "../suppliers/supply-queries.ts";
import type { SaleReason } from "./not-for-sale.ts";

/** Any fixed number works, as long as it is the same in every process. */
const SALE_LOCK = 7_242_145;

/** True for the one process that looks now. The lock ends with the transaction, however that ends. */
export const lockSale = async (tx: Tx): Promise<boolean> => {
  const [row] = await tx.rows<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${SALE_LOCK}) as locked`,
  );
  return row?.locked === true;
};

/** Waits for it, for a person who wants the result. */
export const awaitSale = (tx: Tx) => tx.rows(sql`select pg_advisory_xact_lock(${SALE_LOCK})`);

export const hasSaleChanges = async (db: Queryable): Promise<boolean> => {
  const [row] = await db.rows<{ found: boolean }>(sql`select exists (select from sale_changes) as found`);
  return row?.found ?? false;
};

/** The products that are noted, each once. The notes are gone once the transaction commits; what is noted meanwhile stays. */
export const takeSaleChanges = async (tx: Tx): Promise<string[]> => {
  const rows = await tx.rows<{ productId: string }>(sql`
    with taken as (delete from sale_changes returning product_id)
    select product_id as "productId" from taken group by product_id`);
  return rows.map(({ productId }) => productId);
};

export const noteSaleChanges = (tx: Tx, productIds: readonly string[]) =>
  tx.rows(sql`insert into sale_changes (product_id) select unnest(${productIds}::text[])`);

export const markLookedAt = (tx: Tx, now: Date) =>
  tx.rows(sql`update pricing_state set sale_looked_at = ${now}`);

export const listProductIdsAfter = async (
  db: Queryable,
  afterId: string,
  limit: number,
): Promise<string[]> => {
  const rows = await db.rows<{ id: string }>(
    sql`select id from products where id > ${afterId} order by id limit ${limit}`,
  );
  return rows.map(({ id }) => id);
};

/** Those among these that are no products any more. */
export const listGone = async (db: Queryable, ids: readonly string[]): Promise<string[]> => {
  const rows = await db.rows<{ id: string }>(sql`
    select id from unnest(${ids}::text[]) id where id <> '' and not exists (select from products p where p.id = id)`);
  return rows.map(({ id }) => id);
};

/** What cannot be bought. No reason: it has no price and no proposal, and its rule must say why. */
export type Unsold = {
  productId: string;
  priceList: string;
  resellerId: string;
  currency: string;
  reason: SaleReason | null;
  /** Whether it was on sale when it was looked at last. */
  hasLeft: boolean;
};

/**
 * What cannot be bought of some products, as the placement of an order decides it: active, not hidden, listed, supplied, priced. A
 * price list is asked for the resellers that pay its prices, and each other reseller for itself: it has an own price, had one that is
 * withheld, or does not see the product.
 */
export const listUnsold = (db: Queryable, productIds: readonly string[], now: Date) =>
  db.rows<Unsold>(sql`
    with ${saleState(productIds, now)}
    select w.id as "productId", l.price_list as "priceList", '' as "resellerId", l.currency,
           coalesce(w.reason, case when q.product_id is not null then 'withheld' end) as reason,
           coalesce(catalog_list_scope(l.currency, l.price_list) = any(k.lists), false) as "hasLeft"
    from why w
    cross join lists l
    left join list_prices p on p.product_id = w.id and p.price_list = l.price_list and p.currency = l.currency
    left join price_proposals q on q.product_id = w.id and q.price_list = l.price_list and q.reseller_id = ''
      and q.currency = l.currency and q.new_minor is not null
    left join sale_looks k on k.product_id = w.id
    left join owned o on o.product_id = w.id and o.price_list = l.price_list and o.currency = l.currency
    where (w.reason is not null or p.product_id is null) and l.resellers > coalesce(o.resellers, 0)
    union all
    select w.id, '', o.reseller_id, o.currency,
           case when w.reason = 'hidden' then w.reason when o.is_unlisted then 'unlisted'
             else coalesce(w.reason, case when q.product_id is not null then 'withheld' end) end,
           coalesce(catalog_list_scope(o.currency, o.price_list) = any(k.lists), false)
             and (o.is_priced or o.is_unpriced or p.product_id is not null)
             and not exists (
               select from not_for_sale n where n.product_id = w.id and n.reason in ${WITHOUT_PRICE}
             )
    from why w
    join own o on o.product_id = w.id
    left join list_prices p on p.product_id = w.id and p.price_list = o.price_list and p.currency = o.currency
    left join price_proposals q on q.product_id = w.id and q.reseller_id = o.reseller_id and q.price_list = ''
      and q.currency = o.currency and q.new_minor is not null
    left join sale_looks k on k.product_id = w.id
    where w.reason is not null or o.is_unlisted
      or (not o.is_priced and (o.is_unpriced or p.product_id is null))`);

/** Reasons that have nothing to do with a price or a reseller. */
const WITHOUT_PRICE = sql`('hidden', 'no_route', 'supplier_disabled', 'route_paused', 'out_of_stock')`;

/** Why nobody can buy a product, if so; the lists in use; the resellers that a list's price says nothing about, and their number. */
const saleState = (productIds: readonly string[], now: Date): Sql => sql`
  why as (
    select p.id,
           case when not p.active or p.hidden then 'hidden'
             when s.state = 'available' then null
             when r.product_id is null then 'no_route'
             when r.is_disabled then 'supplier_disabled'
             when r.rests or s.state is null then 'route_paused'
             else 'out_of_stock' end as reason
    from products p
    left join product_supply s on s.product_id = p.id
    left join (
      select r.product_id, bool_or(not s.enabled) as is_disabled, bool_or(s.enabled and not (${canSell(now)})) as rests
      from supplier_routes r join suppliers s on s.id = r.supplier_id
      where r.product_id = any(${productIds}::text[]) group by r.product_id
    ) r on r.product_id = p.id
    where p.id = any(${productIds}::text[])
  ), lists as (
    select price_list, currency, count(*) as resellers from resellers group by price_list, currency
  ), own as (
    select o.product_id, o.reseller_id, r.price_list, r.currency, bool_or(o.is_unlisted) as is_unlisted,
           bool_or(o.is_priced) as is_priced, bool_or(o.is_unpriced) as is_unpriced
    from (
      select product_id, reseller_id, null as currency, false as is_unlisted, true as is_priced, false as is_unpriced
      from reseller_prices where product_id = any(${productIds}::text[])
      union all
      select product_id, reseller_id, null, true, false, false
      from unlisted_products where product_id = any(${productIds}::text[])
      union all
      select product_id, reseller_id, currency, false, false, true
      from unpriced_products where product_id = any(${productIds}::text[])
    ) o
    join resellers r on r.id = o.reseller_id and coalesce(o.currency, r.currency) = r.currency
    group by o.product_id, o.reseller_id, r.price_list, r.currency
  ), owned as (
    select product_id, price_list, currency, count(*) as resellers from own group by product_id, price_list, currency
  )`;

export type SaleEntry = Omit<Unsold, "reason"> & { reason: SaleReason };

/** Writes what cannot be bought of these products. What was there keeps its time; what is no longer there can be bought again. */
export async function writeUnsold(
  tx: Tx,
  productIds: readonly string[],
  found: readonly SaleEntry[],
  now: Date,
): Promise<void> {
  const column = (value: (entry: SaleEntry) => string): Sql =>
    sql`string_to_array(${found.map((one) => `${value(one)}${SEPARATOR}`).join("")}, ${SEPARATOR})`;
  await tx.rows(sql`
    with found as materialized (
      select product_id, price_list, reseller_id, currency, reason, has_left = 'true' as has_left from unnest(
        ${column((one) => one.productId)}, ${column((one) => one.priceList)}, ${column((one) => one.resellerId)},
        ${column((one) => one.currency)}, ${column((one) => one.reason)}, ${column((one) => String(one.hasLeft))}
      ) as f (product_id, price_list, reseller_id, currency, reason, has_left)
      -- Behind the last separator there is nothing.
      where product_id <> ''
    ), gone as (
      delete from not_for_sale n
      where n.product_id = any(${productIds}::text[]) and (n.product_id, n.price_list, n.reseller_id, n.currency) not in (
        select product_id, price_list, reseller_id, currency from found
      )
    )
    insert into not_for_sale as n (product_id, price_list, reseller_id, currency, reason, since, left_sale)
    select product_id, price_list, reseller_id, currency, reason, ${now}, has_left from found
    on conflict (product_id, price_list, reseller_id, currency) do update set reason = excluded.reason
      where n.reason <> excluded.reason`);
}

/** A column is sent as one text that the database splits: an array of this size costs both sides several times as much. */
const SEPARATOR = "\u001f";

/** Remembers for which lists the products were looked at. */
export const markLooks = (tx: Tx, productIds: readonly string[], now: Date) =>
  tx.rows(sql`
    with ${saleState(productIds, now)}
    insert into sale_looks as k (product_id, lists)
    select w.id, array(
      select catalog_list_scope(l.currency, l.price_list) from lists l
      left join owned o on o.product_id = w.id and o.price_list = l.price_list and o.currency = l.currency
      where l.resellers > coalesce(o.resellers, 0) order by 1
    )
    from why w
    on conflict (product_id) do update set lists = excluded.lists where k.lists <> excluded.lists`);
