import sql, { type Sql } from "sql-template-tag";
import type { Tx } from "../../server/src/db/database.ts";
import { fillWithoutTriggers } from "../fill-orders.ts";

export const HOUR_MS = 3_600_000;
/** Few enough that the roll-ups of an hour are much fewer rows than its orders. */
export const PRODUCTS = 10;
export const SUPPLIERS = 2;
const PRICE_MINOR = 2375;
const COST_MINOR = 2200;
/** Orders are spread over the hour, but for its end: what is accepted in an hour also ends in it. */
const SPREAD_MS = HOUR_MS - 10_000;

export type Chunk = {
  resellerIds: readonly string[];
  /** One for each reseller. */
  endpointIds: readonly string[];
  /** The orders from `from` to before `to`, `perHour` of them in each hour from `start` on. */
  start: Date;
  perHour: number;
  from: number;
  to: number;
};

/** Number, time, reseller and id of each order. The first reseller has half of them. The id contains the time, as real ones do. */
const made = ({ resellerIds, start, perHour, from, to }: Chunk): Sql => sql`
  numbered as (
    select n, n % ${PRODUCTS} as product, n % ${SUPPLIERS} as supplier,
           case when n % 2 = 0 then 1 else 2 + n / 2 % ${resellerIds.length - 1} end as seller,
           ${start.getTime()}::bigint + (n - ${from}) / ${perHour} * ${HOUR_MS}
             + (n - ${from}) % ${perHour} * ${SPREAD_MS} / ${perHour} as ms
    from generate_series(${from}::bigint, ${to - 1}::bigint) n
  ), made as materialized (
    select n, product, supplier, seller, ms, (${resellerIds}::text[])[seller] as reseller_id,
           to_timestamp(ms / 1000.0) as at, to_timestamp((ms + 200 + n % 1800) / 1000.0) as ended_at,
           'ord_' || bench_time_text(ms) || lpad(n::text, 16, '0') as id
    from numbered
  )`;

/** Parts of a chunk that do not depend on one another. */
export const CHUNK_PARTS: readonly ((chunk: Chunk) => Sql)[] = [
  fillOrders,
  fillEntries,
  fillLines,
  fillPurchases,
  fillCodes,
];

export async function fillPart(tx: Tx, statement: Sql): Promise<void> {
  await fillWithoutTriggers(tx);
  await tx.rows(statement);
}

function fillOrders(chunk: Chunk): Sql {
  return sql`
    with ${made(chunk)}
    insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, reference, status, total_minor, currency,
                          key_id, created_at, updated_at, open_units, processing_at, ended_at)
      select id, reseller_id, 'live', left(md5(n::text), 16), sha256(''),
             case when n % 4 < 2 then 'inv-' || n end, 'completed', ${PRICE_MINOR}, 'USD', 'key',
             at, ended_at, 0, at, ended_at
      from made`;
}

/** The debits, chained as the wallets chain them. Then the wallets' heads. */
function fillEntries(chunk: Chunk): Sql {
  return sql`
    with ${made(chunk)}, entries as materialized (
      select 'ent' || substr(m.id, 4) as id, m.reseller_id, m.id as order_id, m.at, m.ms, w.head_hash, m.n,
             w.sequence + row_number() over chain as sequence,
             w.balance_minor - ${PRICE_MINOR} * row_number() over chain as balance
      from made m join wallets w on w.reseller_id = m.reseller_id and w.environment = 'live'
      window chain as (partition by m.reseller_id order by m.n)
    ), hashed as materialized (
      select *, bench_chain(head_hash, convert_to(concat_ws('|', id, reseller_id, 'live', sequence, 'order', 'sales',
                  ${-PRICE_MINOR}::bigint, balance, 'USD', order_id, ms, ''), 'UTF8'))
                  over (partition by reseller_id order by n) as hash
      from entries
    ), b as (
      insert into ledger_entries (id, reseller_id, environment, sequence, type, counter_account, amount_minor,
                                  balance_after_minor, currency, order_id, hash, created_at)
      select id, reseller_id, 'live', sequence, 'order', 'sales', ${-PRICE_MINOR}, balance, 'USD', order_id, hash, at from hashed
    )
    update wallets w set sequence = l.sequence, balance_minor = l.balance, head_hash = l.hash, last_entry_at = l.at
    from (select distinct on (reseller_id) * from hashed order by reseller_id, sequence desc) l
    where w.reseller_id = l.reseller_id and w.environment = 'live'`;
}

/** Lines, units and roll-ups. */
function fillLines(chunk: Chunk): Sql {
  return sql`
    with ${made(chunk)}, a as (
      insert into order_lines (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor, quantity,
                               line_total_minor, fulfilled_quantity)
      select id, 0, reseller_id, 'live', 'card-' || product, 'Card', ${PRICE_MINOR}, 1, ${PRICE_MINOR}, 1 from made
    ), b as (
      insert into order_units (order_id, line_index, unit_index, environment, status, due_at, delivered_at)
      select id, 0, 0, 'live', 'delivered', at, ended_at from made
    ), ${rollUps}
    select 1`;
}

function fillPurchases(chunk: Chunk): Sql {
  return sql`
    with ${made(chunk)}
    insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                   cost_minor, cost_currency, status, opened_at, resolved_at)
    select id, 0, 0, 1, 'live', 'card-' || product, 'sup_' || supplier, 'sku', ${COST_MINOR}, 'USD', 'delivered', at, ended_at
    from made`;
}

function fillCodes(chunk: Chunk): Sql {
  return sql`
    with ${made(chunk)}
    insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest, order_id, line_index,
                       unit_index, delivered_at, created_at)
    select 'cod' || substr(id, 4), 'live', 'card-' || product, 'sup_' || supplier, 'delivered', 'code', 'sealed',
           sha256(id::bytea), id, 0, 0, ended_at, at
    from made`;
}

/** What the reports' roll-ups say about the part `made`. The rest of them follows from these (`fill-scale`). */
const rollUps: Sql = sql`
  facts as materialized (
    select date_trunc('hour', at, 'UTC') as hour, reseller_id, product, supplier, count(*) as orders,
           report_bucket(200 + n % 1800) as bucket
    from made group by 1, 2, 3, 4, 6
  ), sold as (
    insert into report_lines (environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency, sold_units,
                              sold_minor, landed_minor, unlanded_minor, lost_units, lost_minor)
    select 'live', reseller_id, hour, 'card-' || product, '', 'USD', '', sum(orders), sum(orders) * ${PRICE_MINOR}, 0,
           sum(orders) * ${PRICE_MINOR}, 0, 0
    from facts group by reseller_id, hour, product
  ), delivered as (
    insert into report_lines (environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency,
                              delivered_units, delivered_minor, bought_units, cost_minor, landed_minor, unlanded_minor,
                              lost_units, lost_minor)
    select 'live', reseller_id, hour, 'card-' || product, 'sup_' || supplier, 'USD', 'USD', sum(orders),
           sum(orders) * ${PRICE_MINOR}, sum(orders), sum(orders) * ${COST_MINOR}, 0, 0, 0, 0
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
  )`;

/** The event of each order, delivered to its reseller's endpoint at the first attempt. */
export function fillEvents(chunk: Chunk): Sql {
  return sql`
    with ${made(chunk)}, told as materialized (
      select m.*, 'evt' || substr(m.id, 4) as event_id, (${chunk.endpointIds}::text[])[m.seller] as endpoint_id,
             delivery_id('evt' || substr(m.id, 4), (${chunk.endpointIds}::text[])[m.seller]) as delivery_id
      from made m
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
