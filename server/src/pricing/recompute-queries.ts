import sql from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import type { RankedRoute, Routing } from "./choose-route.ts";
import type { PriceFor, RuledProduct } from "./choose-rule.ts";

/** Any fixed number works, as long as it is the same in every process. */
const PRICING_LOCK = 7_242_076;

/** True for the one process that works prices out now. The lock ends with the transaction, however that ends. */
export const lockPricing = async (tx: Tx): Promise<boolean> => {
  const [row] = await tx.rows<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${PRICING_LOCK}) as locked`,
  );
  return row?.locked === true;
};

/** Waits for it, for a person who wants the result. */
export const awaitPricing = (tx: Tx) => tx.rows(sql`select pg_advisory_xact_lock(${PRICING_LOCK})`);

/** What changed since prices were last worked out: rows, the highest of which is a mark for deleting them. */
export const readChanges = async (
  db: Queryable,
  limit: number,
): Promise<{ places: string[]; productIds: string[] }> => {
  const rows = await db.rows<{ place: string; productId: string }>(sql`
    select ctid::text as place, product_id as "productId" from price_changes limit ${limit}`);
  return {
    places: rows.map(({ place }) => place),
    productIds: [...new Set(rows.map((row) => row.productId))],
  };
};

/** A row keeps its place until it is deleted, and places of others are not touched. */
export const deleteChanges = (tx: Tx, places: readonly string[]) =>
  tx.rows(sql`delete from price_changes where ctid = any(${places}::tid[])`);

export const findNextChange = async (db: Queryable): Promise<Date | undefined> => {
  const [row] = await db.rows<{ at: Date | null }>(sql`select next_change_at as at from pricing_state`);
  return row?.at ?? undefined;
};

export const markNextChange = (tx: Tx, nextChangeAt: Date | undefined, now: Date) =>
  tx.rows(sql`
    update pricing_state set next_change_at = ${nextChangeAt ?? null}, complete_at = ${now}`);

export type PricedProductRow = RuledProduct & {
  faceAmount: string;
  faceCurrency: string;
  faceIsMoney: boolean;
  routing: Routing;
};

const productColumns = sql`
  id, brand, category, country, face_value_amount as "faceAmount", face_value_currency as "faceCurrency",
  face_value_is_money as "faceIsMoney", routing`;

export const listProductsAfter = (db: Queryable, afterId: string, limit: number) =>
  db.rows<PricedProductRow>(sql`
    select ${productColumns} from products where id > ${afterId} order by id limit ${limit}`);

export const listProductsById = (db: Queryable, ids: readonly string[]) =>
  db.rows<PricedProductRow>(
    sql`select ${productColumns} from products where id = any(${ids}::text[]) order by id`,
  );

export type PricedRoute = RankedRoute & { productId: string; learntAt: Date; hasGoods: boolean };

/**
 * The routes that are not paused, of suppliers that are enabled, and whether there is anything: own stock can be empty. The codes are not looked at: a
 * price that rests on what nobody marked would miss the change back.
 */
export const listEnabledRoutes = (db: Queryable, productIds: readonly string[]) =>
  db.rows<PricedRoute>(sql`
    select r.product_id as "productId", r.supplier_id as "supplierId", r.priority, r.cost_minor as "costMinor",
           r.cost_currency as "costCurrency", s.consecutive_failures as failures, r.updated_at as "learntAt",
           (not s.has_own_stock or r.in_stock) as "hasGoods"
    from supplier_routes r join suppliers s on s.id = r.supplier_id
    where r.product_id = any(${productIds}::text[]) and s.enabled and r.paused_at is null
    order by r.product_id, r.priority, r.supplier_id`);

/** Every list in every currency that a reseller pays in. */
export const listTargets = (db: Queryable) =>
  db.rows<PriceFor>(sql`
    select distinct null::text as "resellerId", price_list as "priceList", currency
    from resellers order by price_list, currency`);

/** Resellers with a rule of their own, or with an own price for one of these products, which can be withheld. */
export const listOwnTargets = (db: Queryable, productIds: readonly string[], ruledIds: readonly string[]) =>
  db.rows<PriceFor & { productIds: string[] }>(sql`
    select r.id as "resellerId", r.price_list as "priceList", r.currency,
           coalesce(own.ids, '{}') as "productIds"
    from resellers r
    left join (
      select reseller_id, array_agg(product_id) as ids from (
        select reseller_id, product_id from reseller_prices where product_id = any(${productIds}::text[])
        union
        select reseller_id, product_id from unpriced_products where product_id = any(${productIds}::text[])
      ) owned group by reseller_id
    ) own on own.reseller_id = r.id
    where own.reseller_id is not null or r.id = any(${ruledIds}::text[])
    order by r.id`);
