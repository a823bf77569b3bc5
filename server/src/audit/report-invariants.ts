import sql, { raw, type Sql } from "sql-template-tag";
import type { Extent } from "./extent.ts";
import type { Invariant } from "./invariant.ts";

/** Without these nobody would note what is to be counted, or add it to the sums by day. */
const NOTING_TRIGGERS = [
  ...[
    "ledger_entries_note_refund",
    "supplier_attempts_note_late",
    "supplier_reversals_note",
    "orders_note_end",
  ],
  ...["report_orders_add_day", "report_times_add_day", "report_times_change_day"],
];

const LINE_MEASURES = [
  ...["sold_units", "sold_minor", "refunded_units", "refunded_minor", "returned_units", "returned_minor"],
  ...["delivered_units", "delivered_minor", "bought_units", "cost_minor", "landed_minor", "unlanded_minor"],
  ...[
    "lost_units",
    "lost_minor",
    "converted_minor",
    "costed_units",
    "uncosted_minor",
    "lost_converted_minor",
  ],
];
const ORDER_MEASURES = [
  ...["orders", "sold_minor", "refunds", "refunded_minor", "completed", "completed_in_part", "failed"],
];

const list = (names: readonly string[], say: (name: string) => string = (name) => name): Sql =>
  raw(names.map(say).join(", "));
const sums = (names: readonly string[]): Sql => list(names, (name) => `sum(${name})::bigint as ${name}`);

/** What differs between the parts `expected` and `kept`, which have these keys and measures. */
const differences = (keys: readonly string[], measures: readonly string[], text: Sql): Sql => sql`
  select ${text} as violation
  from expected e full join kept k using (${list(keys)})
  where (${list(measures, (name) => `coalesce(e.${name}, 0)`)}) <> (${list(measures, (name) => `coalesce(k.${name}, 0)`)})`;

/** The functions take a row of the table, and the extent can name another one with the same columns. */
const purchase = raw("row(a.*)::supplier_attempts");

/**
 * What the roll-ups are made of, counted again from orders, ledger and purchases: the entries of each wallet up to its mark, and of the
 * orders that they paid for, those that have ended and are not on the list of what is still to be counted.
 */
export const countedFacts = ({ orders, lines, units, attempts, entries }: Extent): Sql => sql`
  entries as materialized (
    select e.reseller_id, e.environment, e.sequence, e.type, e.amount_minor, e.currency, e.order_id,
           date_trunc('hour', e.created_at, 'UTC') as hour
    from ${entries} e
    join report_wallets w on w.reseller_id = e.reseller_id and w.environment = e.environment
    where e.sequence <= w.sequence and e.type in ('order', 'refund')
  ), quantities as (
    select order_id, sum(quantity) as units, sum(fulfilled_quantity) as delivered from ${lines} l group by order_id
  ), ended as materialized (
    select o.id, o.environment, o.reseller_id, o.currency, o.created_at, q.units, q.delivered,
           date_trunc('hour', coalesce(o.ended_at, o.created_at), 'UTC') as hour,
           (extract(epoch from o.ended_at - o.created_at) * 1000)::bigint as took_ms
    from ${orders} o
    join entries e on e.order_id = o.id and e.type = 'order'
    join quantities q on q.order_id = o.id
    where o.status in ('completed', 'failed', 'refunded')
      and not exists (select from report_changes c where c.order_id = o.id and c.line_index is null)
  ), purchases as materialized (
    select o.environment, o.reseller_id, o.id as order_id, o.hour, l.product_id, coalesce(a.supplier_id, '') as supplier_id, o.currency,
           charged_currency(${purchase}) as charged_in, (u.delivered_at is not null)::integer as delivered_units,
           case when u.delivered_at is not null then l.unit_price_minor else 0 end as delivered_minor,
           (a.supplier_id is not null)::integer as bought_units, coalesce(charged_minor(${purchase}), 0) as cost_minor,
           coalesce(lost_minor(${purchase}), 0) as lost_minor, l.basis,
           (extract(epoch from u.delivered_at - o.created_at) * 1000)::bigint as took_ms
    from ended o
    join ${units} u on u.order_id = o.id
    join ${lines} l on l.order_id = u.order_id and l.line_index = u.line_index
    left join ${attempts} a
      on a.order_id = u.order_id and a.line_index = u.line_index and a.unit_index = u.unit_index
      and a.status in ('delivered', 'quarantined') and a.written_off_at is null
    where u.delivered_at is not null or a.supplier_id is not null
    union all
    select o.environment, o.reseller_id, o.id, date_trunc('hour', a.resolved_at, 'UTC'), l.product_id, a.supplier_id, o.currency,
           charged_currency(${purchase}), 0, 0, 1, coalesce(charged_minor(${purchase}), 0), coalesce(lost_minor(${purchase}), 0),
           l.basis, null
    from ${attempts} a
    join entries e on e.order_id = a.order_id and e.type = 'order'
    join ${orders} o on o.id = a.order_id
    join ${lines} l on l.order_id = a.order_id and l.line_index = a.line_index
    left join report_changes c
      on c.order_id = a.order_id and c.line_index = a.line_index and c.unit_index = a.unit_index and not c.is_reversal
      and coalesce(c.number, a.number) = a.number
    where a.status = 'quarantined' and a.written_off_at is not null and c.order_id is null
    union all
    select o.environment, o.reseller_id, o.id, date_trunc('hour', r.found_at, 'UTC'), l.product_id, a.supplier_id, o.currency,
           charged_currency(${purchase}), 0, 0, 0, -coalesce(charged_minor(${purchase}), 0), 0, l.basis, null
    from supplier_reversals r
    join ${attempts} a
      on a.order_id = r.order_id and a.line_index = r.line_index and a.unit_index = r.unit_index and a.number = r.number
    join entries e on e.order_id = a.order_id and e.type = 'order'
    join ${orders} o on o.id = a.order_id
    join ${lines} l on l.order_id = a.order_id and l.line_index = a.line_index
    left join report_changes c
      on c.order_id = a.order_id and c.line_index = a.line_index and c.unit_index = a.unit_index and c.is_reversal
    where c.order_id is null
  ), units as materialized (
    select p.*, coalesce(p.charged_in, '') as cost_currency, sale_rate(p.charged_in, p.currency, p.basis, k.rate) as rate
    from purchases p left join report_rates k on k.order_id = p.order_id and k.currency = p.charged_in
  )`;

/** Of deliveries and purchases, which sales and refunds do not have. */
const NO_PURCHASE = raw(
  LINE_MEASURES.filter((name) => /^(delivered|bought|cost_|lost|converted|costed)/.test(name))
    .map((name) => `0 as ${name}`)
    .join(", "),
);

const expectedLines = ({ lines, since }: Extent): Sql => sql`
  select environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency, ${sums(LINE_MEASURES)}
  from (
    select e.environment, e.reseller_id, e.hour, l.product_id, '' as supplier_id, e.currency, '' as cost_currency,
           l.quantity as sold_units, l.line_total_minor as sold_minor, 0 as refunded_units, 0 as refunded_minor,
           0 as returned_units, 0 as returned_minor, coalesce(basis_landed(l.basis), 0) * l.quantity as landed_minor,
           l.line_total_minor * (basis_landed(l.basis) is null)::integer as unlanded_minor, 0 as uncosted_minor, ${NO_PURCHASE}
    from entries e join ${lines} l on l.order_id = e.order_id where e.type = 'order'
    union all
    select e.environment, e.reseller_id, e.hour, r.product_id, r.supplier_id, e.currency, r.cost_currency, 0, 0, r.units,
           r.amount_minor, r.units * r.was_delivered::integer, r.amount_minor * r.was_delivered::integer,
           -coalesce(basis_landed(l.basis), 0) * r.units * (not r.was_delivered)::integer,
           -r.amount_minor * (basis_landed(l.basis) is null)::integer,
           -r.amount_minor * (
             r.was_delivered and sale_rate(nullif(r.cost_currency, ''), e.currency, l.basis, k.rate) is null
           )::integer, ${NO_PURCHASE}
    from entries e
    join report_refunds r
      on r.reseller_id = e.reseller_id and r.environment = e.environment and r.sequence = e.sequence
    join ${lines} l on l.order_id = r.order_id and l.line_index = r.line_index
    left join report_rates k on k.order_id = r.order_id and k.currency = r.cost_currency
    where e.type = 'refund'
    union all
    select environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency, 0, 0, 0, 0, 0, 0, 0, 0,
           delivered_minor * (rate is null)::integer, delivered_units, delivered_minor, bought_units, cost_minor,
           bought_units * (1 - delivered_units), lost_minor,
           coalesce(converted_minor(cost_minor, cost_currency, currency, rate), 0), bought_units * (rate is not null)::integer,
           coalesce(converted_minor(lost_minor, cost_currency, currency, rate), 0)
    from units
  ) f
  where hour >= ${since}
  group by environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency`;

const lineDifferences = (extent: Extent): Sql => sql`
  expected as (${expectedLines(extent)}
  ), kept as (select * from report_lines where hour >= ${extent.since})
  ${differences(
    ["environment", "reseller_id", "hour", "product_id", "supplier_id", "currency", "cost_currency"],
    LINE_MEASURES,
    sql`'the roll-up of ' || product_id || ' for ' || reseller_id || ' (' || environment || ', ' || currency || ') at ' || hour ||
        ' is not the sum of its sales, refunds and purchases'`,
  )}`;

const expectedOrders = ({ since }: Extent): Sql => sql`
  select environment, hour, reseller_id, currency, ${sums(ORDER_MEASURES)}
  from (
    select environment, hour, reseller_id, currency, (type = 'order')::integer as orders,
           case when type = 'order' then -amount_minor else 0 end as sold_minor, (type = 'refund')::integer as refunds,
           case when type = 'refund' then amount_minor else 0 end as refunded_minor, 0 as completed,
           0 as completed_in_part, 0 as failed
    from entries
    union all
    select environment, hour, reseller_id, currency, 0, 0, 0, 0, (delivered = units)::integer,
           (delivered > 0 and delivered < units)::integer, (delivered = 0)::integer
    from ended
  ) f
  where hour >= ${since}
  group by environment, hour, reseller_id, currency`;

const orderDifferences = (extent: Extent): Sql => sql`
  expected as (${expectedOrders(extent)}
  ), kept as (select * from report_orders where hour >= ${extent.since})
  ${differences(
    ["environment", "hour", "reseller_id", "currency"],
    ORDER_MEASURES,
    sql`'the roll-up of orders of ' || reseller_id || ' (' || environment || ', ' || currency || ') at ' || hour ||
        ' is not the sum of its orders and entries'`,
  )}`;

const expectedTimes = ({ since }: Extent): Sql => sql`
  select dimension, environment, at, member, report_bucket(took_ms) as bucket, count(*)::bigint as count
  from (
    select 'reseller' as dimension, environment, hour as at, reseller_id as member, took_ms
    from ended where delivered > 0 and took_ms is not null
    union all
    select 'product', environment, date_trunc('day', hour, 'UTC'), product_id, took_ms from units where delivered_units > 0
    union all
    select 'supplier', environment, hour, supplier_id, took_ms from units where delivered_units > 0 and supplier_id <> ''
  ) f
  where at >= ${since}
  group by dimension, environment, at, member, 5`;

const timeDifferences = (extent: Extent): Sql => sql`
  expected as (${expectedTimes(extent)}
  ), kept as (select * from report_times where at >= ${extent.since})
  ${differences(
    ["dimension", "environment", "at", "member", "bucket"],
    ["count"],
    sql`'the times by ' || dimension || ' (' || environment || ') at ' || at || ' are not those of its orders'`,
  )}`;

const expectedSlices = ({ since }: Extent): Sql => sql`
  select dimension, environment, at, member, currency, cost_currency, ${sums(LINE_MEASURES)}
  from (
    select 'product' as dimension, date_trunc('day', hour, 'UTC') as at, product_id as member, l.* from report_lines l
    union all
    select 'reseller', hour, reseller_id, l.* from report_lines l
    union all
    select 'supplier', hour, supplier_id, l.* from report_lines l where supplier_id <> ''
  ) f
  where hour >= ${since}
  group by dimension, environment, at, member, currency, cost_currency`;

const sliceDifferences = (extent: Extent): Sql => sql`
  expected as (${expectedSlices(extent)}
  ), kept as (select * from report_slices where at >= ${extent.since})
  ${differences(
    ["dimension", "environment", "at", "member", "currency", "cost_currency"],
    LINE_MEASURES,
    sql`'the roll-up by ' || dimension || ' (' || environment || ', ' || currency || ') at ' || at ||
        ' is not the sum of its products'`,
  )}`;

const expectedDays = ({ since }: Extent): Sql => sql`
  select reseller_id, environment, date_trunc('day', hour, 'UTC') as day, currency, ${sums(ORDER_MEASURES)}
  from report_orders where hour >= ${since}
  group by 1, 2, 3, 4`;

const sayDay = sql`reseller_id || ' (' || environment || ') on ' || (day at time zone 'UTC')::date`;

const dayDifferences = (extent: Extent): Sql => sql`
  expected as (${expectedDays(extent)}
  ), kept as (select * from report_days where day >= ${extent.since})
  ${differences(
    ["reseller_id", "environment", "day", "currency"],
    ORDER_MEASURES,
    sql`'the roll-up of ' || ${sayDay} || ' is not the sum of its hours'`,
  )}`;

const dayTimeDifferences = ({ since }: Extent): Sql => sql`
  expected as (
    select member as reseller_id, environment, date_trunc('day', at, 'UTC') as day, bucket, sum(count)::bigint as count
    from report_times where dimension = 'reseller' and at >= ${since} group by 1, 2, 3, 4
  ), kept as (select * from report_day_times where day >= ${since})
  ${differences(
    ["reseller_id", "environment", "day", "bucket"],
    ["count"],
    sql`'the times of ' || ${sayDay} || ' are not those of its hours'`,
  )}`;

/** What refunds paid for, and the list of what is still to be counted. */
const oddNotes = ({ orders, entries, refundNotes }: Extent): Sql => sql`
  select 'refunds of ' || order_id || ' paid ' || sum(paid) || ', and the units noted for them cost ' || sum(noted) as violation
  from (
    select order_id, amount_minor as paid, 0 as noted from entries where type = 'refund'
    union all
    select r.order_id, 0, r.amount_minor from ${refundNotes} r
    join report_wallets w on w.reseller_id = r.reseller_id and w.environment = r.environment and r.sequence <= w.sequence
  ) f
  where not exists (
    select from ${entries} e
    left join report_wallets w on w.reseller_id = e.reseller_id and w.environment = e.environment
    where e.order_id = f.order_id and e.type = 'refund' and e.sequence > coalesce(w.sequence, 0)
  )
  group by order_id having sum(paid) <> sum(noted)
  union all
  select c.order_id || ' is noted ' || count(*) || ' times as ended'
  from report_changes c where c.line_index is null group by c.order_id having count(*) > 1
  union all
  select c.order_id || ' is noted as ended and is ' || coalesce(o.status, 'gone')
  from report_changes c left join ${orders} o on o.id = c.order_id
  where c.line_index is null and coalesce(o.status, '') not in ('completed', 'failed', 'refunded')
  union all
  select 'the wallet of ' || w.reseller_id || ' (' || w.environment || ') is counted up to entry ' || w.sequence ||
    ', which it does not have'
  from report_wallets w
  left join wallets h on h.reseller_id = w.reseller_id and h.environment = w.environment
  where w.sequence > coalesce(h.sequence, 0)
  union all
  select 'trigger ' || name || ' is missing' from unnest(${NOTING_TRIGGERS}::text[]) as name
  where not exists (
    select from pg_trigger t where t.tgname = name and t.tgenabled in ('O', 'A')
      and t.tgrelid in (
        to_regclass('ledger_entries'), to_regclass('supplier_attempts'), to_regclass('supplier_reversals'), to_regclass('orders'),
        to_regclass('report_orders'), to_regclass('report_times')
      )
  )`;

/** What each roll-up must hold, from the parts of `countedFacts`; slices from `report_lines`, which come first. */
export const EXPECTED_ROLLUPS: Readonly<Record<string, (extent: Extent) => Sql>> = {
  report_lines: expectedLines,
  report_orders: expectedOrders,
  report_times: expectedTimes,
  report_slices: expectedSlices,
};

/** Reports are read from roll-ups. In any snapshot these are exactly the facts that have been counted. */
export const rollupsEqualFacts: Invariant = {
  number: 12,
  name: "roll-ups equal the orders, the ledger and the purchases that have been counted, each counted once",
  count: ({ since }) => sql`select count(*) as count from report_lines where hour >= ${since}`,
  violations: (extent) => sql`
    with ${countedFacts(extent)}
    select violation from (with ${lineDifferences(extent)}) as lines
    union all select violation from (with ${orderDifferences(extent)}) as orders
    union all select violation from (with ${timeDifferences(extent)}) as times
    union all select violation from (with ${sliceDifferences(extent)}) as slices
    union all select violation from (with ${dayDifferences(extent)}) as days
    union all select violation from (with ${dayTimeDifferences(extent)}) as day_times
    union all select violation from (${oddNotes(extent)}) as notes`,
};
