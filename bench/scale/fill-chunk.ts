import sql, { type Sql } from "sql-template-tag";
import {
  COST_MINOR,
  HOUR_MS,
  LONGEST_MORE_MS,
  type Plan,
  PRICE_MINOR,
  PRODUCTS,
  SHORTEST_MS,
  SPREAD_MS,
  SUPPLIERS,
} from "./scale-orders.ts";

/** The orders from `from` to before `to`. */
export type Chunk = Plan & { from: number; to: number };

/** Number, time and reseller of each order, as `scale-orders` makes them. */
const numbered = ({ resellerIds, first, perHour, from, to }: Chunk): Sql => sql`
  numbered as (
    select n, n % ${PRODUCTS} as product, n % ${SUPPLIERS} as supplier,
           case when n % 2 = 0 then 1 else 2 + n / 2 % ${resellerIds.length - 1} end as seller,
           n / ${perHour} as hour,
           ${first}::bigint + n / ${perHour} * ${HOUR_MS} + n % ${perHour} * ${SPREAD_MS} / ${perHour} as ms,
           ${SHORTEST_MS} + n % ${LONGEST_MORE_MS} as lasted
    from generate_series(${from}::bigint, ${to - 1}::bigint) n
  )`;

/** What the reports' roll-ups say about a chunk. The rest of them follows from these (`fill-scale`). */
export const fillRollUps = (chunk: Chunk): Sql => sql`
  with ${numbered(chunk)}, facts as materialized (
    select to_timestamp(${chunk.first / 1_000} + hour * ${HOUR_MS / 1_000}) as hour, (${chunk.resellerIds}::text[])[seller] as reseller_id,
           product, supplier, orders, bucket
    from (
      select hour, seller, product, supplier, report_bucket(lasted) as bucket, sum(orders)::bigint as orders
      from (select hour, seller, product, supplier, lasted, count(*) as orders from numbered group by 1, 2, 3, 4, 5) lasting
      group by 1, 2, 3, 4, 5
    ) counted
  ), sold as (
    insert into report_lines (environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency, sold_units,
                              sold_minor, landed_minor, unlanded_minor, lost_units, lost_minor)
    select 'live', reseller_id, hour, 'card-' || product, '', 'USD', '', sum(orders), sum(orders) * ${PRICE_MINOR}, 0,
           sum(orders) * ${PRICE_MINOR}, 0, 0
    from facts group by reseller_id, hour, product
  ), delivered as (
    insert into report_lines (environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency,
                              delivered_units, delivered_minor, bought_units, cost_minor, landed_minor, unlanded_minor,
                              lost_units, lost_minor, converted_minor, costed_units)
    select 'live', reseller_id, hour, 'card-' || product, 'sup_' || supplier, 'USD', 'USD', sum(orders),
           sum(orders) * ${PRICE_MINOR}, sum(orders), sum(orders) * ${COST_MINOR}, 0, 0, 0, 0, sum(orders) * ${COST_MINOR}, sum(orders)
    from facts group by reseller_id, hour, product, supplier
  ), counted as (
    insert into report_orders (environment, hour, reseller_id, currency, orders, sold_minor, completed)
    select 'live', hour, reseller_id, 'USD', sum(orders), sum(orders) * ${PRICE_MINOR}, sum(orders)
    from facts group by hour, reseller_id
  ), timed as (
    insert into report_times as t (dimension, environment, at, member, bucket, count)
    select dimension, 'live', at, member, bucket, sum(orders)
    from (
      select 'reseller' as dimension, hour as at, reseller_id as member, bucket, orders from facts
      union all
      select 'product', date_trunc('day', hour, 'UTC'), 'card-' || product, bucket, orders from facts
      union all
      select 'supplier', hour, 'sup_' || supplier, bucket, orders from facts
    ) f
    group by dimension, at, member, bucket
    on conflict (dimension, environment, at, member, bucket) do update set count = t.count + excluded.count
  )
  select 1`;

/** The event of each order, delivered to its reseller's endpoint at the first attempt. */
export function fillEvents(chunk: Chunk): Sql {
  return sql`
    with ${numbered(chunk)}, made as (
      select (${chunk.resellerIds}::text[])[seller] as reseller_id, (${chunk.endpointIds}::text[])[seller] as endpoint_id,
             to_timestamp(ms / 1000.0) as at, to_timestamp((ms + lasted) / 1000.0) as ended_at,
             bench_time_text(ms) || lpad(n::text, 16, '0') as tail
      from numbered
    ), told as materialized (
      select reseller_id, endpoint_id, at, ended_at, 'ord_' || tail as id, 'evt_' || tail as event_id,
             delivery_id('evt_' || tail, endpoint_id) as delivery_id
      from made
    ), a as (
      insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at)
      select event_id, reseller_id, 'live', 'order.fulfilled',
             '{"id":"' || event_id || '","type":"order.fulfilled","created_at":"' ||
               to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":{"order_id":"' || id ||
               '","status":"fulfilled"}}',
             id, 'fulfilled', at
      from told
    ), b as (
      insert into deliveries (id, event_id, endpoint_id, status, step, attempts, created_at, delivered_at)
      select delivery_id, event_id, endpoint_id, 'delivered', 1, 1, at, ended_at from told
    )
    insert into delivery_attempts (delivery_id, number, at, response_status, latency_ms)
    select delivery_id, 1, ended_at, 200, 40 from told`;
}
