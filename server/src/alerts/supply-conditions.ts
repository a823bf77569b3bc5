import sql, { type Sql } from "sql-template-tag";

const DAY_MS = 86_400_000;
/** The rate of sales is that of a week, or of the newest sales where a week has more. */
const RATE_DAYS = 7;
const SALES_READ_MAX = 10_000;
/** FACE 4: stock that runs out within so many days at this week's rate. */
const STOCK_DAYS = 3;
/** Codes are counted up to what is needed, and never further than this. */
const COUNTED_MAX = 50_000;

/** A circuit breaker that has opened counts as open until the supplier has answered again. */
export const findFailingSuppliers = (_now: Date, limit: number): Sql => sql`
  select id as subject, jsonb_build_object('supplierId', id, 'failures', consecutive_failures) as facts
  from suppliers where enabled and open_until is not null and consecutive_failures > 0
  order by id limit ${limit}`;

/** Disabled because of a price, until a person enables it. One that a person switched off is none. */
export const findDisabledSuppliers = (_now: Date, limit: number): Sql => sql`
  select s.id as subject,
         jsonb_build_object('supplierId', s.id, 'reason', s.disabled_reason, 'since', s.disabled_at,
                            'productId', p.id, 'productName', p.name, 'orderId', s.disabled_purchase ->> 'orderId',
                            'expectedMinor', s.disabled_purchase -> 'expected' -> 'amount',
                            'expectedCurrency', s.disabled_purchase -> 'expected' -> 'currency',
                            'chargedMinor', s.disabled_purchase -> 'charged' -> 'amount',
                            'chargedCurrency', s.disabled_purchase -> 'charged' -> 'currency') as facts
  from suppliers s left join products p on p.id = s.disabled_purchase ->> 'productId'
  where not s.enabled and s.disabled_purchase is not null
  order by s.disabled_at, s.id limit ${limit}`;

/** Routes that are paused because a unit cost more than their limit, until a person enables them. */
export const findOverchargedRoutes = (_now: Date, limit: number): Sql => sql`
  select r.product_id || '/' || r.supplier_id as subject,
         jsonb_build_object('productId', r.product_id, 'productName', p.name, 'supplierId', r.supplier_id,
                            'since', r.paused_at, 'expectedMinor', r.paused_expected_minor,
                            'chargedMinor', r.paused_charged_minor, 'currency', r.paused_currency,
                            'orderId', r.paused_order_id) as facts
  from supplier_routes r join products p on p.id = r.product_id
  where r.paused_at is not null
  order by r.paused_at, r.product_id, r.supplier_id limit ${limit}`;

/** A unit that was delivered and taken back by the supplier, until it is refunded or the operator keeps it. */
export const findReversedPurchases = (_now: Date, limit: number): Sql => sql`
  select r.order_id || '.' || r.line_index || '.' || r.unit_index as subject,
         jsonb_build_object('orderId', r.order_id, 'lineIndex', r.line_index, 'unitIndex', r.unit_index,
                            'productName', l.name) as facts
  from supplier_reversals r join order_units u using (order_id, line_index, unit_index)
  join order_lines l using (order_id, line_index)
  where r.kept_at is null and u.status = 'delivered'
  order by r.found_at, r.order_id, r.line_index, r.unit_index limit ${limit}`;

export const findLowBalances = (_now: Date, limit: number): Sql => sql`
  select id as subject,
         jsonb_build_object('supplierId', id, 'balanceAt', balance_at, 'balanceMinor', balance_minor,
                            'lowMinor', balance_low_minor, 'currency', balance_currency) as facts
  from suppliers where enabled and balance_minor < balance_low_minor
  order by id limit ${limit}`;

/**
 * Products that are sold from stock and have less than they sell in three days; and products that nobody can buy because the
 * stock is empty. A supplier's newest sales are read by its index, at most so many.
 */
export const findLowStock = (now: Date, limit: number): Sql => sql`
  with sales as materialized (
    select s.id as supplier_id, sold.product_id, sold.opened_at
    from suppliers s
    cross join lateral (
      select a.product_id, a.opened_at from supplier_attempts a
      where a.supplier_id = s.id and a.opened_at > ${new Date(now.getTime() - RATE_DAYS * DAY_MS)}
      order by a.opened_at desc limit ${SALES_READ_MAX}
    ) sold
    where s.has_own_stock and s.enabled
  ), spans as (
    select supplier_id,
           case when count(*) < ${SALES_READ_MAX} then ${RATE_DAYS}::double precision
             else greatest(extract(epoch from ${now}::timestamptz - min(opened_at)) / 86400, 0.01) end as days
    from sales group by supplier_id
  ), wanted as (
    select r.product_id, p.name, r.supplier_id,
           least(greatest(ceil(count(sales.product_id) * ${STOCK_DAYS} / max(spans.days)), 0), ${COUNTED_MAX})::integer
             as needed
    from supplier_routes r
    join suppliers s on s.id = r.supplier_id and s.has_own_stock and s.enabled
    join products p on p.id = r.product_id and p.active and not p.hidden
    left join sales on sales.supplier_id = r.supplier_id and sales.product_id = r.product_id
    left join spans on spans.supplier_id = r.supplier_id
    group by r.product_id, p.name, r.supplier_id
  )
  select wanted.product_id as subject,
         jsonb_build_object('productId', wanted.product_id, 'productName', max(wanted.name), 'available', sum(stocked.level),
                            'neededIn3Days', sum(wanted.needed)) as facts
  from wanted
  left join product_supply supply on supply.product_id = wanted.product_id
  cross join lateral (
    select count(*)::integer as level from (
      select from codes c
      where c.state = 'stock' and c.product_id = wanted.product_id and c.supplier_id = wanted.supplier_id
        and (c.expires_at is null or c.expires_at > ${now})
      -- The order of the index, as in suppliers/stock/stock-order.ts.
      order by c.product_id, c.supplier_id, c.expires_at, c.id limit greatest(wanted.needed, 1)
    ) one
  ) stocked
  group by wanted.product_id
  having sum(stocked.level) < sum(wanted.needed)
    or (sum(stocked.level) = 0 and bool_or(supply.state = 'empty'))
  order by wanted.product_id limit ${limit}`;
