import sql, { empty, raw, type Sql } from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { LINE_MEASURES, ORDER_MEASURES } from "./add-up.ts";

/** What the rows of a report stand for. */
export type ReportBy = "hour" | "day" | "product" | "brand" | "reseller" | "supplier";

export type ReportScope = {
  environment: Tenant["environment"];
  /** Whole hours by hour, else whole days in UTC; `to` is not included. */
  from: Date;
  to: Date;
  by: ReportBy;
  /** Only this one, by time. A product is counted by day and not by hour. */
  member?: { of: ReportDimension; id: string } | undefined;
};

/** Whose sums a report adds up. */
export type ReportDimension = "product" | "reseller" | "supplier";

/** Sums by time go over all resellers: every sale has one, and not yet a supplier. A brand is its products. */
export const dimensionOf = ({ by, member }: Pick<ReportScope, "by" | "member">): ReportDimension => {
  if (isTime(by)) return member?.of ?? "reseller";
  return by === "brand" ? "product" : by;
};

export type OrderSums = {
  key: string;
  currency: string;
  orders: bigint;
  soldMinor: bigint;
  refunds: bigint;
  refundedMinor: bigint;
  completed: bigint;
  completedInPart: bigint;
  failed: bigint;
};

/** By time or by reseller: an order with two products is one order. */
export const sumOrders = (db: Queryable, { environment, from, to, by, member }: ReportScope) =>
  db.rows<OrderSums>(sql`
    select ${keyOf(by)} as key, currency, sum(orders)::bigint as orders, sum(sold_minor)::bigint as "soldMinor",
           sum(refunds)::bigint as refunds, sum(refunded_minor)::bigint as "refundedMinor", sum(completed)::bigint as completed,
           sum(completed_in_part)::bigint as "completedInPart", sum(failed)::bigint as failed
    from (
      select ${isTime(by) ? raw("hour") : raw("reseller_id")} as k, currency, ${sumsOf(ORDER_MEASURES)}
      from report_orders
      where environment = ${environment} and hour >= ${from} and hour < ${to} and ${isMember("reseller_id", member?.id)}
      group by 1, 2
    ) s
    group by 1, 2`);

export type LineSums = {
  key: string;
  currency: string;
  /** Empty where nothing was bought, or the cost is not known. */
  costCurrency: string;
  soldUnits: bigint;
  soldMinor: bigint;
  refundedUnits: bigint;
  refundedMinor: bigint;
  returnedUnits: bigint;
  returnedMinor: bigint;
  deliveredUnits: bigint;
  deliveredMinor: bigint;
  boughtUnits: bigint;
  costMinor: bigint;
  /** The landed cost as of acceptance of what was sold and not refunded before its delivery. It is counted with the sales. */
  landedMinor: bigint;
  /** What was sold, less what was refunded of it, where the landed cost was not known. */
  unlandedMinor: bigint;
  convertedMinor: bigint;
  costedUnits: bigint;
  uncostedMinor: bigint;
  /** What was lost, in the currency of the sales. */
  lostConvertedMinor: bigint;
};

export const sumLines = (db: Queryable, scope: ReportScope) =>
  db.rows<LineSums>(sql`
    select ${keyOf(scope.by)} as key, currency, cost_currency as "costCurrency",
           sum(sold_units)::bigint as "soldUnits", sum(sold_minor)::bigint as "soldMinor",
           sum(refunded_units)::bigint as "refundedUnits", sum(refunded_minor)::bigint as "refundedMinor",
           sum(returned_units)::bigint as "returnedUnits", sum(returned_minor)::bigint as "returnedMinor",
           sum(delivered_units)::bigint as "deliveredUnits", sum(delivered_minor)::bigint as "deliveredMinor",
           sum(bought_units)::bigint as "boughtUnits", sum(cost_minor)::bigint as "costMinor",
           sum(landed_minor)::bigint as "landedMinor", sum(unlanded_minor)::bigint as "unlandedMinor",
           sum(converted_minor)::bigint as "convertedMinor", sum(costed_units)::bigint as "costedUnits",
           sum(uncosted_minor)::bigint as "uncostedMinor", sum(lost_converted_minor)::bigint as "lostConvertedMinor"
    from (
      select ${isTime(scope.by) ? raw("at") : raw("member")} as k, currency, cost_currency, ${sumsOf(LINE_MEASURES)}
      from report_slices
      where ${inScope(scope)}
      group by 1, 2, 3
    ) s ${brandsOf(scope.by)}
    group by 1, 2, 3`);

export type TimeSums = { key: string; bucket: number; count: bigint };

/** Orders by time and reseller; units by product and supplier. */
export const sumTimes = (db: Queryable, scope: ReportScope) =>
  db.rows<TimeSums>(sql`
    select ${keyOf(scope.by)} as key, bucket, sum(count)::bigint as count
    from (
      select ${isTime(scope.by) ? raw("at") : raw("member")} as k, bucket, sum(count) as count
      from report_times
      where ${inScope(scope)}
      group by 1, 2
    ) s ${brandsOf(scope.by)}
    group by 1, 2`);

const isTime = (by: ReportBy): by is "hour" | "day" => by === "hour" || by === "day";

const inScope = (scope: ReportScope): Sql => sql`
  dimension = ${dimensionOf(scope)} and environment = ${scope.environment} and at >= ${scope.from} and at < ${scope.to}
  and ${isMember("member", scope.member?.id)}`;

const isMember = (column: string, id: string | undefined): Sql =>
  id === undefined ? sql`true` : sql`${raw(column)} = ${id}`;

/** The brand is that of now. */
const brandsOf = (by: ReportBy): Sql => (by === "brand" ? sql`left join products p on p.id = s.k` : empty);

/** What products without a brand are under. */
const NO_BRAND = "–";

/** Times are keys like 2026-11-17T09:00Z and 2026-11-17. They are written once for each hour, and not for each row of it. */
const keyOf = (by: ReportBy): Sql => {
  if (by === "hour") return raw(`to_char(k at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"')`);
  if (by === "brand") return sql`coalesce(p.brand, ${NO_BRAND})`;
  return raw(by === "day" ? "to_char(k at time zone 'UTC', 'YYYY-MM-DD')" : "k");
};

const sumsOf = (measures: readonly string[]): Sql =>
  raw(measures.map((measure) => `sum(${measure}) as ${measure}`).join(", "));

/** The names of these products, resellers or suppliers, by id. */
export const listNames = async (
  db: Queryable,
  by: ReportDimension,
  ids: readonly string[],
): Promise<Map<string, string>> => {
  const rows = await db.rows<{ id: string; name: string }>(
    sql`select id, name from ${raw(`${by}s`)} where id = any(${ids})`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
};

/** Up to when everything has been counted; undefined before the first time. */
export const findCompleteUntil = async (db: Queryable): Promise<Date | undefined> => {
  const [row] = await db.rows<{ until: Date | null }>(sql`select complete_until as until from report_state`);
  return row?.until ?? undefined;
};
