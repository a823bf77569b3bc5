import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { firstSequenceAt } from "./queries.ts";

export type SpanRow = {
  from: Date;
  to: Date;
  openingMinor: bigint;
  closingMinor: bigint;
  /** All entries of the span. Those that are none of the others pay for orders. */
  entries: bigint;
  deposits: bigint;
  depositedMinor: bigint;
  adjustments: bigint;
  adjustedMinor: bigint;
  refunds: bigint;
  /** There is a later entry. Time never goes backwards within a wallet, so nothing can come into this span any more. */
  isFinal: boolean;
};

/**
 * What happened to a wallet between each two of these times, oldest first. Sequences are dense and every entry has the
 * balance after it, so the ends of a span tell how many entries it has and what they add up to. Only deposits, adjustments and
 * refunds are read, from the index that leaves out the entries of orders.
 */
export const sumSpanRows = (db: Queryable, tenant: Tenant, bounds: readonly Date[]) =>
  db.rows<SpanRow>(sql`
    with bounds as materialized (
      select b.at, ${firstSequenceAt(tenant, sql`b.at`)} as first from unnest(${bounds}::timestamptz[]) as b (at)
    ), known as materialized (
      select b.at, b.first, coalesce((
        select e.balance_after_minor from ledger_entries e
        where e.reseller_id = ${tenant.resellerId} and e.environment = ${tenant.environment} and e.sequence = b.first - 1
      ), 0) as balance
      from bounds b
    ), spans as (
      select at as "from", lead(at) over times as "to", first, lead(first) over times as next, balance as opening,
             lead(balance) over times as closing
      from known window times as (order by at)
    )
    select s."from", s."to", s.opening as "openingMinor", s.closing as "closingMinor", s.next - s.first as entries,
           d.count as deposits, d.sum as "depositedMinor", a.count as adjustments, a.sum as "adjustedMinor",
           r.count as refunds, exists (
             select from ledger_entries e
             where e.reseller_id = ${tenant.resellerId} and e.environment = ${tenant.environment} and e.sequence = s.next
           ) as "isFinal"
    from spans s
    cross join lateral (${sumOfType(tenant, "deposit")}) d
    cross join lateral (${sumOfType(tenant, "adjustment")}) a
    cross join lateral (
      select count(*) as count from ledger_entries e where e.type <> 'order' and ${inSpan(tenant, "refund")}
    ) r
    where s."to" is not null
    order by s."from"`);

const sumOfType = (tenant: Tenant, type: "deposit" | "adjustment") => sql`
  select count(*) as count, coalesce(sum(e.amount_minor), 0)::bigint as sum
  from ledger_entries e where e.type <> 'order' and ${inSpan(tenant, type)}`;

const inSpan = (tenant: Tenant, type: "deposit" | "adjustment" | "refund") => sql`
  e.reseller_id = ${tenant.resellerId} and e.environment = ${tenant.environment} and e.type = ${type}
  and e.sequence >= s.first and e.sequence < s.next`;
