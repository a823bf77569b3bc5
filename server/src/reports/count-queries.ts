import sql, { type Sql } from "sql-template-tag";
import type { Tx } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { addLines, addOrders, addProductTimes, addTimes, none } from "./add-up.ts";

/** Any fixed number works, as long as it is the same in every process. */
const COUNTING_LOCK = 7_242_034;

/** True for the one process that counts now. The lock ends with the transaction, however that ends. */
export const lockCounting = async (tx: Tx): Promise<boolean> => {
  const [row] = await tx.rows<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${COUNTING_LOCK}) as locked`,
  );
  return row?.locked === true;
};

/** For the sums of one transaction, which else go to temporary files. */
const WORK_MEM = "32MB";

/**
 * Each of these reads few rows by their keys. Old statistics must not turn one of them into a read of a whole table, nor into a
 * bitmap of the two rows that it finds.
 */
export const readByKey = (tx: Tx) =>
  tx.rows(sql`
    select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
           set_config('enable_mergejoin', 'off', true), set_config('enable_bitmapscan', 'off', true),
           set_config('work_mem', ${WORK_MEM}, true)`);

export type CountLimits = {
  walletsMax: number;
  /** Of one wallet. */
  entriesMax: number;
  /** No further wallet is counted once those before it have so many entries. */
  allEntriesMax: number;
  changesMax: number;
};

/** Entries of a wallet that are counted next, and the wallet's last one. */
type DueEntries = Tenant & {
  historySequence: bigint;
  fromSequence: bigint;
  toSequence: bigint;
  headSequence: bigint;
  isDue: boolean;
};

/** Wallets with entries that are not counted. Those that are not due are left for the next time. */
export const listDueEntries = (tx: Tx, limits: CountLimits) =>
  tx.rows<DueEntries>(
    sql`
    with waiting as materialized (
      select w.reseller_id, w.environment, coalesce(r.sequence, 0) as from_sequence, w.sequence as head_sequence,
             least(w.sequence, coalesce(r.sequence, 0) + ${limits.entriesMax}::bigint) as to_sequence,
             coalesce(r.history_sequence, 0) as history_sequence, coalesce(r.counted_at, 'epoch') as counted_at
      from wallets w
      left join report_wallets r on r.reseller_id = w.reseller_id and r.environment = w.environment
      where w.sequence > coalesce(r.sequence, 0)
      -- Those that have waited longest, so that busy wallets do not keep the others waiting.
      order by coalesce(r.counted_at, 'epoch'), w.reseller_id, w.environment limit ${limits.walletsMax}
    )
    select reseller_id as "resellerId", environment, from_sequence as "fromSequence", to_sequence as "toSequence",
           head_sequence as "headSequence", history_sequence as "historySequence",
           sum(to_sequence - from_sequence) over (order by counted_at, reseller_id, environment)
             - (to_sequence - from_sequence) < ${limits.allEntriesMax}::bigint as "isDue"
    from waiting`,
    { name: "list-due-entries" },
  );

const fromDue = (due: readonly DueEntries[]): Sql => sql`
  unnest(
    ${due.map((one) => one.resellerId)}::text[], ${due.map((one) => one.environment)}::text[],
    ${due.map((one) => one.fromSequence)}::bigint[], ${due.map((one) => one.toSequence)}::bigint[],
    ${due.map((one) => one.historySequence)}::bigint[]
  ) as d (reseller_id, environment, from_sequence, to_sequence, history_sequence)`;

/** Orders of which these entries pay delivered units back that had been bought in another currency. */
export const listReturnedAbroad = async (tx: Tx, due: readonly DueEntries[]): Promise<string[]> => {
  const rows = await tx.rows<{ id: string }>(sql`
    select distinct r.order_id as id from ${fromDue(due)}
    join report_refunds r on r.reseller_id = d.reseller_id and r.environment = d.environment
      and r.sequence > d.from_sequence and r.sequence <= d.to_sequence
    where r.was_delivered and r.cost_currency not in ('', r.currency)`);
  return rows.map(({ id }) => id);
};

/**
 * Counts these entries: sales and refunds. One statement reads the entries and moves the mark behind them. An
 * order from before there were roll-ups that has ended is noted to be counted as ended.
 */
export const countEntries = (tx: Tx, due: readonly DueEntries[], now: Date) =>
  tx.rows(
    sql`
    with due as materialized (
      select d.* from ${fromDue(due)}
    ), entries as materialized (
      select e.sequence, e.reseller_id, e.environment, e.type, e.amount_minor, e.currency, e.order_id,
             date_bin('1 hour', e.created_at, 'epoch') as hour, d.history_sequence
      from due d
      cross join lateral (
        select * from ledger_entries l
        where l.reseller_id = d.reseller_id and l.environment = d.environment
          and l.sequence > d.from_sequence and l.sequence <= d.to_sequence and l.type in ('order', 'refund')
      ) e
    ), marked as (
      insert into report_wallets as t (reseller_id, environment, sequence, counted_at)
      select reseller_id, environment, to_sequence, ${now} from due
      on conflict (reseller_id, environment) do update set sequence = excluded.sequence, counted_at = excluded.counted_at
    ), ended_before as (
      insert into report_changes (order_id)
      select e.order_id from entries e join orders o on o.id = e.order_id
      where e.type = 'order' and e.sequence <= e.history_sequence and o.status in ('completed', 'failed', 'refunded')
        and not exists (select from report_unended u where u.order_id = e.order_id)
    ), facts as materialized (${salesAndRefunds}
    ), order_facts as materialized (
      select environment, hour, reseller_id, currency, (type = 'order')::integer as orders,
             case when type = 'order' then -amount_minor else 0 end as sold_minor, (type = 'refund')::integer as refunds,
             case when type = 'refund' then amount_minor else 0 end as refunded_minor, 0 as completed,
             0 as completed_in_part, 0 as failed
      from entries
    ), ${addLines}, ${addOrders}
    select`,
    { name: "count-entries" },
  );

/** What is counted of deliveries and purchases alone. */
const PURCHASE_MEASURES = [
  ...([
    "delivered_units",
    "delivered_minor",
    "bought_units",
    "cost_minor",
    "lost_units",
    "lost_minor",
  ] as const),
  ...(["converted_minor", "costed_units", "lost_converted_minor"] as const),
];

const salesAndRefunds: Sql = sql`
  select e.environment, e.reseller_id, e.hour, l.product_id, '' as supplier_id, e.currency, '' as cost_currency,
         l.quantity as sold_units, l.line_total_minor as sold_minor, 0 as refunded_units, 0 as refunded_minor,
         0 as returned_units, 0 as returned_minor, coalesce(basis_landed(l.basis) * l.quantity, 0) as landed_minor,
         case when basis_landed(l.basis) is null then l.line_total_minor else 0 end as unlanded_minor, 0 as uncosted_minor,
         ${none(...PURCHASE_MEASURES)}
  from entries e join order_lines l on l.order_id = e.order_id
  where e.type = 'order'
  union all
  select e.environment, e.reseller_id, e.hour, r.product_id, r.supplier_id, e.currency, r.cost_currency,
         0, 0, r.units, r.amount_minor, case when r.was_delivered then r.units else 0 end,
         case when r.was_delivered then r.amount_minor else 0 end,
         case when r.was_delivered then 0 else -coalesce(basis_landed(l.basis) * r.units, 0) end,
         case when basis_landed(l.basis) is null then -r.amount_minor else 0 end,
         case when r.was_delivered and sale_rate(nullif(r.cost_currency, ''), e.currency, l.basis, k.rate) is null
           then -r.amount_minor else 0 end,
         ${none(...PURCHASE_MEASURES)}
  from entries e
  join report_refunds r on r.reseller_id = e.reseller_id and r.environment = e.environment and r.sequence = e.sequence
  join order_lines l on l.order_id = r.order_id and l.line_index = r.line_index
  left join report_rates k on k.order_id = r.order_id and k.currency = r.cost_currency
  where e.type = 'refund'`;

/** An order that ended, or a purchase of a unit that turned out to be made, or was given back. */
export type Change = {
  orderId: string;
  lineIndex: number | null;
  unitIndex: number | null;
  /** Of a purchase that turned out to be made. */
  number: number | null;
  isReversal: boolean;
};

/** Takes changes from the list. Whoever counts them does it in the same transaction. An order ends only after its sale was counted. */
export const takeChanges = (tx: Tx, limits: CountLimits) =>
  tx.rows<Change>(
    sql`
    delete from report_changes where ctid = any(array(
      ${findCountable(limits.changesMax)}
    ))
    returning order_id as "orderId", line_index as "lineIndex", unit_index as "unitIndex", number, is_reversal as "isReversal"`,
    { name: "take-changes" },
  );

/** Counts what was delivered and bought for orders that ended, and purchases that turned out to be made, or were given back, later. */
export const countChanges = (tx: Tx, changes: readonly Change[]) =>
  tx.rows(
    sql`
    with taken as materialized (
      select * from unnest(
        ${changes.map((one) => one.orderId)}::text[], ${changes.map((one) => one.lineIndex)}::smallint[],
        ${changes.map((one) => one.unitIndex)}::integer[], ${changes.map((one) => one.number)}::smallint[],
        ${changes.map((one) => one.isReversal)}::boolean[]
      ) as one (order_id, line_index, unit_index, number, is_reversal)
    ), ${endedOrders(sql`taken`)}, facts as materialized (
      select environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency,
             ${none("sold_units", "sold_minor", "refunded_units", "refunded_minor", "returned_units", "returned_minor")},
             is_delivered::integer as delivered_units, case when is_delivered then price_minor else 0 end as delivered_minor,
             is_bought::integer as bought_units, cost_minor, ${none("landed_minor", "unlanded_minor")},
             (is_bought and not is_delivered)::integer as lost_units, lost_minor,
             coalesce(converted_minor(cost_minor, cost_currency, currency, rate), 0) as converted_minor,
             (is_bought and rate is not null)::integer as costed_units,
             case when is_delivered and rate is null then price_minor else 0 end as uncosted_minor,
             coalesce(converted_minor(lost_minor, cost_currency, currency, rate), 0) as lost_converted_minor
      from units
    ), order_facts as materialized (
      select environment, hour, reseller_id, currency, 0 as orders, 0 as sold_minor, 0 as refunds, 0 as refunded_minor,
             (delivered = units)::integer as completed, (delivered between 1 and units - 1)::integer as completed_in_part,
             (delivered = 0)::integer as failed
      from ended
    ), ${addLines}, ${addOrders}, ${addTimes}, ${addProductTimes}
    select`,
    { name: "count-changes" },
  );

/**
 * Changes whose order has been counted as sold. Each change looks for its order: `offset 0` keeps the planner from starting at the
 * ledger, which it takes for small as long as nothing has analysed it, and from comparing every entry with every change.
 */
export const findCountable = (limit: number): Sql => sql`
  select c.ctid from report_changes c
  cross join lateral (
    select reseller_id, environment, sequence from ledger_entries
    where order_id = c.order_id and type = 'order' offset 0
  ) d
  cross join lateral (
    select from report_wallets w
    where w.reseller_id = d.reseller_id and w.environment = d.environment and d.sequence <= w.sequence offset 0
  ) counted
  limit ${limit}`;

/**
 * Parts of a `with`: the ended orders among these changes, and the units that were delivered or bought for them. All of it stays as it
 * is once an order has ended: a refund keeps the delivery, and a purchase that was written off, or given back by its supplier, is a
 * change of its own. The times are counted in floats, which are exact for milliseconds.
 */
export const endedOrders = (changes: Sql): Sql => sql`
  ended_lines as materialized (
    select o.id, o.environment, o.reseller_id, o.currency, o.created_at, o.ended_at, l.line_index, l.product_id, l.unit_price_minor,
           l.quantity, l.fulfilled_quantity, l.basis, date_bin('1 hour', coalesce(o.ended_at, o.created_at), 'epoch') as hour
    from ${changes} c
    join orders o on o.id = c.order_id
    join order_lines l on l.order_id = o.id
    where c.line_index is null
  ), ended as materialized (
    select id, environment, reseller_id, currency, hour, sum(quantity) as units, sum(fulfilled_quantity) as delivered,
           (date_part('epoch', ended_at - created_at) * 1000)::bigint as took_ms
    from ended_lines group by id, environment, reseller_id, currency, hour, created_at, ended_at
  ), purchases as materialized (
    select o.id as order_id, o.environment, o.reseller_id, o.hour, o.product_id, coalesce(a.supplier_id, '') as supplier_id, o.currency,
           charged_currency(a) as charged_in, o.unit_price_minor as price_minor, u.delivered_at is not null as is_delivered,
           a.supplier_id is not null as is_bought, coalesce(charged_minor(a), 0) as cost_minor,
           coalesce(lost_minor(a), 0) as lost_minor, o.basis,
           (date_part('epoch', u.delivered_at - o.created_at) * 1000)::bigint as took_ms
    from ended_lines o
    join order_units u on u.order_id = o.id and u.line_index = o.line_index
    left join supplier_attempts a
      on a.order_id = u.order_id and a.line_index = u.line_index and a.unit_index = u.unit_index
      and a.status in ('delivered', 'quarantined') and a.written_off_at is null
    where u.delivered_at is not null or a.supplier_id is not null
    union all
    select o.id, o.environment, o.reseller_id, date_bin('1 hour', a.at, 'epoch'), l.product_id, a.supplier_id, o.currency,
           a.charged_in, l.unit_price_minor, false, a.is_bought, a.cost_minor, a.lost_minor, l.basis, null
    from ${changes} c
    cross join lateral (
      select made.order_id, made.line_index, made.supplier_id, made.resolved_at as at, true as is_bought,
             charged_currency(made) as charged_in, coalesce(charged_minor(made), 0) as cost_minor,
             coalesce(lost_minor(made), 0) as lost_minor
      from supplier_attempts made
      where order_id = c.order_id and line_index = c.line_index and unit_index = c.unit_index and not c.is_reversal
        and status = 'quarantined' and written_off_at is not null and number = coalesce(c.number, number)
      union all
      select made.order_id, made.line_index, made.supplier_id, r.found_at, false, charged_currency(made),
             -coalesce(charged_minor(made), 0), 0
      from supplier_reversals r
      join supplier_attempts made
        on made.order_id = r.order_id and made.line_index = r.line_index and made.unit_index = r.unit_index
        and made.number = r.number
      where r.order_id = c.order_id and r.line_index = c.line_index and r.unit_index = c.unit_index and c.is_reversal
      offset 0
    ) a
    join orders o on o.id = a.order_id
    join order_lines l on l.order_id = a.order_id and l.line_index = a.line_index
  ), units as materialized (
    select p.*, coalesce(p.charged_in, '') as cost_currency, sale_rate(p.charged_in, p.currency, p.basis, k.rate) as rate
    from purchases p left join report_rates k on k.order_id = p.order_id and k.currency = p.charged_in
  )`;

/** Everything that was committed before this time has been counted. */
export const markComplete = (tx: Tx, until: Date) =>
  tx.rows(
    sql`update report_state set complete_until = ${until} where complete_until is distinct from ${until}`,
  );
