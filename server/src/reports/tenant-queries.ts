import sql, { type Sql } from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { TimeCounts } from "./time-classes.ts";

/** How much that is not counted yet is read beside the roll-ups. It is a few seconds' worth, unless no worker runs. */
export const TAIL_MAX = 10_000;

export type TenantDayRow = {
  day: Date;
  orders: number;
  refunds: number;
  spentMinor: bigint;
  completed: number;
  completedInPart: number;
  failed: number;
  /** More is left to count than was read, so the newest orders are missing. */
  isBehind: boolean;
};

export type DaySpan = { first: Date; end: Date };

/** Days of a tenant from the roll-ups, and what is not counted yet from ledger and orders, in one snapshot. */
export const listTenantDays = (db: Queryable, tenant: Tenant, { first, end }: DaySpan) =>
  db.rows<TenantDayRow>(sql`
    with mark as materialized (
      select coalesce(max(sequence), 0) as sequence from report_wallets
      where reseller_id = ${tenant.resellerId} and environment = ${tenant.environment}
    ), facts as (
      select day, sum(orders) as orders, sum(refunds) as refunds, sum(sold_minor - refunded_minor) as spent_minor,
             sum(completed) as completed, sum(completed_in_part) as completed_in_part, sum(failed) as failed
      from report_days
      where reseller_id = ${tenant.resellerId} and environment = ${tenant.environment} and day >= ${first} and day < ${end}
      group by 1
      union all
      select date_trunc('day', e.created_at, 'UTC'), count(*) filter (where e.type = 'order'),
             count(*) filter (where e.type = 'refund'), -sum(e.amount_minor), 0, 0, 0
      from (${entriesInTail(tenant)}) e
      where e.type in ('order', 'refund')
      group by 1
      union all
      select date_trunc('day', ended_at, 'UTC'), 0, 0, 0, count(*) filter (where delivered = units),
             count(*) filter (where delivered between 1 and units - 1), count(*) filter (where delivered = 0)
      from (${endedInTail(tenant)}) o group by 1
    )
    select d.day, coalesce(sum(f.orders), 0)::integer as orders, coalesce(sum(f.refunds), 0)::integer as refunds,
           coalesce(sum(f.spent_minor), 0)::bigint as "spentMinor", coalesce(sum(f.completed), 0)::integer as completed,
           coalesce(sum(f.completed_in_part), 0)::integer as "completedInPart", coalesce(sum(f.failed), 0)::integer as failed,
           exists (
             select from wallets w, mark m
             where w.reseller_id = ${tenant.resellerId} and w.environment = ${tenant.environment}
               and w.sequence > m.sequence + ${TAIL_MAX}
           ) as "isBehind"
    from generate_series(${first}::timestamptz, ${end}::timestamptz - interval '1 day', interval '1 day') as d (day)
    left join facts f on f.day = d.day
    group by d.day order by d.day`);

/** How long completed orders of a tenant took. */
export const listTenantTimes = (
  db: Queryable,
  tenant: Tenant,
  { first, end }: DaySpan,
): Promise<TimeCounts> =>
  db.rows(sql`
    select bucket, sum(count)::bigint as count
    from (
      select bucket, count from report_day_times
      where reseller_id = ${tenant.resellerId} and environment = ${tenant.environment} and day >= ${first} and day < ${end}
      union all
      select report_bucket(took_ms), 1 from (${endedInTail(tenant)}) o
      where delivered > 0 and took_ms is not null and ended_at >= ${first} and ended_at < ${end}
    ) t
    group by bucket`);

/** Few enough that PostgreSQL finds them by their key, whatever it expects behind a mark; it must divide `TAIL_MAX`. */
const SLICE = 100;

/**
 * In slices. PostgreSQL does not know the mark: behind it, it expects a large share of the tenant's entries, and would rather read the
 * whole ledger than so many by a key. Sequences have no gaps.
 */
const entriesInTail = (tenant: Tenant): Sql => sql`
  select e.type, e.amount_minor, e.created_at from mark m
  join wallets w on w.reseller_id = ${tenant.resellerId} and w.environment = ${tenant.environment}
  cross join generate_series(m.sequence, least(w.sequence, m.sequence + ${TAIL_MAX}) - 1, ${SLICE}) start
  cross join lateral (
    select * from ledger_entries e
    where e.reseller_id = ${tenant.resellerId} and e.environment = ${tenant.environment} and e.sequence > start
    order by e.sequence limit ${SLICE}
  ) e`;

/** The list holds a few seconds' worth of all tenants. Its orders are looked up one by one, however few the planner thinks there are. */
const endedInTail = (tenant: Tenant): Sql => sql`
  select coalesce(o.ended_at, o.created_at) as ended_at, l.units, l.delivered,
         (extract(epoch from o.ended_at - o.created_at) * 1000)::bigint as took_ms
  from (select order_id from report_changes where line_index is null limit ${TAIL_MAX}) c
  cross join lateral (
    select * from orders
    where id = c.order_id and reseller_id = ${tenant.resellerId} and environment = ${tenant.environment} offset 0
  ) o
  cross join lateral (
    select sum(quantity) as units, sum(fulfilled_quantity) as delivered from order_lines where order_id = o.id
  ) l`;

export type ResellerSales = { resellerId: string; orders: bigint; soldMinor: bigint; refundedMinor: bigint };

/** What these resellers bought in whole days of one environment. Each has one currency. */
export const sumResellerRows = (
  db: Queryable,
  environment: Tenant["environment"],
  resellerIds: readonly string[],
  { first, end }: DaySpan,
) =>
  db.rows<ResellerSales>(sql`
    select reseller_id as "resellerId", sum(orders)::bigint as orders, sum(sold_minor)::bigint as "soldMinor",
           sum(refunded_minor)::bigint as "refundedMinor"
    from report_days
    where reseller_id = any(${resellerIds}) and environment = ${environment} and day >= ${first} and day < ${end}
    group by reseller_id`);
