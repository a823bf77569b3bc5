import sql, { empty, type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import { inStockOrder } from "./stock/stock-order.ts";

/** Which products to check, and the time that decides whether a code has expired. */
export type SupplyScope = { productIds: readonly string[] | undefined; now: Date };

/** How many products lack the right row, how many have one that must go, and how many routes ran out of stock or have it again. */
export type StaleSupply = { toSet: number; toDelete: number; toMark: number };

export async function countStaleSupply(db: Queryable, scope: SupplyScope): Promise<StaleSupply> {
  const [counts] = await db.rows<StaleSupply>(sql`
    select (count(*) filter (where differs and state is not null))::integer as "toSet",
           (count(*) filter (where differs and state is null))::integer as "toDelete",
           coalesce(sum(routes), 0)::integer as "toMark"
    from (${staleSupply(scope)}) stale`);
  return counts ?? { toSet: 0, toDelete: 0, toMark: 0 };
}

export const upsertStaleSupply = (tx: Tx, scope: SupplyScope) =>
  tx.rows(sql`
    insert into product_supply (product_id, state)
    select product_id, state from (${staleSupply(scope)}) stale where differs and state is not null
    order by product_id
    on conflict (product_id) do update set state = excluded.state
    returning product_id`);

export const deleteStaleSupply = (tx: Tx, scope: SupplyScope) =>
  tx.rows(sql`
    delete from product_supply s
    using (${staleSupply(scope)}) stale
    where stale.differs and stale.state is null and s.product_id = stale.product_id
    returning s.product_id`);

/**
 * A route that somebody else is changing is left to them, because they call refreshSupply after their commit: who waited for it
 * while holding the catalog's lock could meet an import that waits the other way round.
 */
export const markStaleRoutes = (tx: Tx, scope: SupplyScope) =>
  tx.rows(sql`
    update supplier_routes r set in_stock = not r.in_stock
    from (${staleRoutes(scope)} for no key update of r skip locked) stale
    where r.product_id = stale.product_id and r.supplier_id = stale.supplier_id
    returning r.product_id`);

/** Routes of own stock that are marked as having a code and have none, or the other way round. */
const staleRoutes = (scope: SupplyScope): Sql => sql`
  select r.product_id, r.supplier_id
  from supplier_routes r join suppliers s on s.id = r.supplier_id
  where s.has_own_stock and r.in_stock <> ${hasStock(scope.now)} ${within(sql`r.product_id`, scope)}`;

/**
 * Products whose row differs from the truth, with the truth: available, empty, or null where no row belongs. Also those with routes
 * that are marked wrongly, and how many. Both come from one look at the stock, because this runs after every sale.
 */
const staleSupply = (scope: SupplyScope): Sql => sql`
  select truth.product_id, truth.state, truth.routes, present.state is distinct from truth.state as differs
  from (
    select concerned.product_id,
           case when bool_or(u.can_sell) then
             case when bool_or(u.can_sell and u.has_goods) then 'available' else 'empty' end
           end as state,
           count(*) filter (where u.has_own_stock and u.in_stock <> u.has_goods) as routes
    from (
      select r.product_id from supplier_routes r where true ${within(sql`r.product_id`, scope)}
      union
      select s.product_id from product_supply s where true ${within(sql`s.product_id`, scope)}
    ) concerned
    left join (
      select r.product_id, r.in_stock, s.has_own_stock, ${canSell(scope.now)} as can_sell,
             not s.has_own_stock or ${hasStock(scope.now)} as has_goods
      from supplier_routes r join suppliers s on s.id = r.supplier_id
      where true ${within(sql`r.product_id`, scope)}
    ) u on u.product_id = concerned.product_id
    group by concerned.product_id
  ) truth
  left join product_supply present on present.product_id = truth.product_id
  where present.state is distinct from truth.state or truth.routes > 0`;

/**
 * A supplier that is paused for longer than this sells nothing for now. Orders wait for a shorter pause, and must: without
 * an order nothing would find out that the supplier sells again.
 */
const PAUSE_LONG_MS = 60_000;

/** Whether anything is bought by the route `r` from the supplier `s` now. */
export const canSell = (now: Date): Sql => sql`
  s.enabled and r.paused_at is null and coalesce(s.open_until <= ${new Date(now.getTime() + PAUSE_LONG_MS)}, true)`;

/**
 * How many units of each product can be delivered now, counted up to the wanted quantity. No row for a product without a
 * known limit: one that a supplier is called for, or that has no route.
 */
export const countDeliverable = (
  db: Queryable,
  wanted: readonly { productId: string; quantity: number }[],
  now: Date,
) =>
  db.rows<{ productId: string; level: number }>(
    sql`
      select wanted.product_id as "productId", least(sum(stocked.level), max(wanted.quantity))::integer as level
      from unnest(
        ${wanted.map((one) => one.productId)}::text[], ${wanted.map((one) => one.quantity)}::integer[]
      ) as wanted (product_id, quantity)
      join supplier_routes r on r.product_id = wanted.product_id
      join suppliers s on s.id = r.supplier_id and ${canSell(now)}
      cross join lateral (
        select count(*) as level from (
          select from codes c
          where c.state = 'stock' and c.product_id = r.product_id and c.supplier_id = r.supplier_id
            and (c.expires_at is null or c.expires_at > ${now})
          ${inStockOrder} limit wanted.quantity
        ) one
      ) stocked
      group by wanted.product_id
      having bool_and(s.has_own_stock)`,
    { name: "count-deliverable" },
  );

const within = (productId: Sql, { productIds }: SupplyScope): Sql =>
  productIds ? sql`and ${productId} = any(${productIds}::text[])` : empty;

/**
 * Two queries, because each is a single index probe however many expired codes come first. They ask for the first row and do
 * not use EXISTS, which PostgreSQL can answer by reading all of the stock into memory.
 */
const hasStock = (now: Date): Sql => sql`
  coalesce(${firstInStock(sql`c.expires_at > ${now}`)}, ${firstInStock(sql`c.expires_at is null`)}, false)`;

const firstInStock = (condition: Sql): Sql => sql`(
  select true from codes c
  where c.state = 'stock' and c.product_id = r.product_id and c.supplier_id = r.supplier_id and ${condition}
  ${inStockOrder} limit 1
)`;

/** A locked code is left for the next run. */
export const markStockExpired = (db: Queryable, now: Date, limit: number) =>
  db.rows<{ productId: string }>(sql`
    update codes set state = 'expired'
    where id in (
      select id from codes where state = 'stock' and expires_at <= ${now}
      order by expires_at limit ${limit} for update skip locked
    )
    returning product_id as "productId"`);
