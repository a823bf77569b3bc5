import sql, { raw, type Sql } from "sql-template-tag";

/** What is counted of units and amounts, in every roll-up by product, reseller and supplier. */
export const LINE_MEASURES = [
  "sold_units",
  "sold_minor",
  "refunded_units",
  "refunded_minor",
  "returned_units",
  "returned_minor",
  "delivered_units",
  "delivered_minor",
  "bought_units",
  "cost_minor",
  "landed_minor",
  "unlanded_minor",
  "lost_units",
  "lost_minor",
  "converted_minor",
  "costed_units",
  "uncosted_minor",
  "lost_converted_minor",
] as const;

/** What is counted of orders. */
export const ORDER_MEASURES = [
  "orders",
  "sold_minor",
  "refunds",
  "refunded_minor",
  "completed",
  "completed_in_part",
  "failed",
] as const;

/** In the facts of a source that does not count these. */
export const none = (...measures: (typeof LINE_MEASURES)[number][]): Sql =>
  raw(measures.map((measure) => `0 as ${measure}`).join(", "));

const listOf = (names: readonly string[], say: (name: string) => string = (name) => name): Sql =>
  raw(names.map(say).join(", "));
const sumsOf = (names: readonly string[]): Sql => listOf(names, (name) => `sum(${name})::bigint as ${name}`);
const addsOf = (names: readonly string[]): Sql =>
  listOf(names, (name) => `${name} = t.${name} + excluded.${name}`);

/**
 * The parts of a `with` that add the rows of the part `facts` to the roll-ups of units and amounts. They are added up once by all that
 * tells them apart; the slices add those sums up again.
 */
export const addLines: Sql = sql`
  line_sums as materialized (
    select environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency, ${sumsOf(LINE_MEASURES)}
    from facts group by environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency
  ), by_line as (
    insert into report_lines as t (environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency,
                                   ${listOf(LINE_MEASURES)})
    select environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency, ${listOf(LINE_MEASURES)}
    from line_sums
    on conflict (environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency)
    do update set ${addsOf(LINE_MEASURES)}
  ), by_product as (${addSlice("product", sql`date_bin('1 day', hour, 'epoch')`, sql`product_id`)}
  ), by_reseller as (${addSlice("reseller", sql`hour`, sql`reseller_id`)}
  ), by_supplier as (${addSlice("supplier", sql`hour`, sql`supplier_id`)}
  )`;

function addSlice(dimension: string, at: Sql, member: Sql): Sql {
  return sql`
    insert into report_slices as t (dimension, environment, at, member, currency, cost_currency, ${listOf(LINE_MEASURES)})
    select ${raw(`'${dimension}'`)}, environment, ${at}, ${member}, currency, cost_currency, ${sumsOf(LINE_MEASURES)}
    from line_sums where ${member} <> '' group by environment, 3, 4, currency, cost_currency
    on conflict (dimension, environment, at, member, currency, cost_currency) do update set ${addsOf(LINE_MEASURES)}`;
}

/** The part of a `with` that adds the rows of the part `order_facts` to the roll-up of orders. */
export const addOrders: Sql = sql`
  by_order as (
    insert into report_orders as t (environment, hour, reseller_id, currency, ${listOf(ORDER_MEASURES)})
    select environment, hour, reseller_id, currency, ${sumsOf(ORDER_MEASURES)}
    from order_facts group by environment, hour, reseller_id, currency
    on conflict (environment, hour, reseller_id, currency) do update set ${addsOf(ORDER_MEASURES)}
  )`;

/** The parts of a `with` that add the times of the parts `ended` and `units` to the classes of times. */
export const addTimes: Sql = sql`
  unit_times as materialized (
    select environment, hour, product_id, supplier_id, report_bucket(took_ms) as bucket, count(*) as count
    from units where is_delivered group by environment, hour, product_id, supplier_id, 5
  ), by_time as (
    insert into report_times as t (dimension, environment, at, member, bucket, count)
    select 'reseller', environment, hour, reseller_id, report_bucket(took_ms), count(*)
    from ended where took_ms is not null and delivered > 0 group by environment, hour, reseller_id, 5
    union all
    select 'product', environment, date_bin('1 day', hour, 'epoch'), product_id, bucket, sum(count)::bigint
    from unit_times group by environment, 3, product_id, bucket
    union all
    select 'supplier', environment, hour, supplier_id, bucket, sum(count)::bigint
    from unit_times where supplier_id <> '' group by environment, hour, supplier_id, bucket
    on conflict (dimension, environment, at, member, bucket) do update set count = t.count + excluded.count
  )`;

/** The part of a `with` that counts the live orders of the part `units` by product, for the delivery times in the catalog. */
export const addProductTimes: Sql = sql`
  by_product_order as (
    insert into product_order_times as t (day, product_id, bucket, orders)
    select (hour at time zone 'UTC')::date, product_id, bucket, sum(orders)::bigint
    from (
      select hour, product_id, report_bucket(took_ms) as bucket, count(*) as orders
      from (
        select product_id, min(hour) as hour, max(took_ms) as took_ms
        from units where is_delivered and environment = 'live' group by order_id, product_id
      ) delivered
      group by hour, product_id, 3
    ) counted
    group by 1, product_id, bucket
    on conflict (day, product_id, bucket) do update set orders = t.orders + excluded.orders
  )`;
