import sql, { empty, type Sql } from "sql-template-tag";
import type { Queryable } from "../db/database.ts";

/** Purchases opened at `from` or later, and before `to`. */
export type StatementFilter = {
  supplierId: string | undefined;
  from: Date | undefined;
  to: Date | undefined;
};

export type StatementRow = {
  supplierId: string;
  supplierName: string;
  /** Null if the route had no cost and the supplier gave no price. */
  currency: string | null;
  delivered: number;
  quarantined: number;
  refused: number;
  notMade: number;
  unknown: number;
  /** Of what was bought: delivered or quarantined. */
  boughtMinor: bigint | null;
  unknownMinor: bigint | null;
};

export const listStatementRows = (db: Queryable, filter: StatementFilter) =>
  db.rows<StatementRow>(sql`
    select a.supplier_id as "supplierId", s.name as "supplierName", a.currency,
           (count(*) filter (where a.status = 'delivered'))::integer as delivered,
           (count(*) filter (where a.status = 'quarantined'))::integer as quarantined,
           (count(*) filter (where a.status = 'refused'))::integer as refused,
           (count(*) filter (where a.status = 'not_made'))::integer as "notMade",
           (count(*) filter (where a.status = 'open'))::integer as unknown,
           case when a.currency is not null then
             coalesce(sum(a.amount_minor) filter (where a.status in ('delivered', 'quarantined')), 0)::bigint
           end as "boughtMinor",
           case when a.currency is not null then
             coalesce(sum(a.amount_minor) filter (where a.status = 'open'), 0)::bigint
           end as "unknownMinor"
    from (
      select a.supplier_id, a.status,
             -- What was really charged, where the supplier has said so; a refusal charges nothing.
             case when ${isCharged} then a.supplier_price_minor else a.cost_minor end as amount_minor,
             case when ${isCharged} then a.supplier_price_currency else a.cost_currency end as currency
      from supplier_attempts a
      where ${selected(filter)}
    ) a
    join suppliers s on s.id = a.supplier_id
    group by a.supplier_id, s.name, a.currency
    order by a.supplier_id, a.currency`);

const isCharged = sql`a.status <> 'refused' and a.supplier_price_minor is not null`;

/** Why a purchase is not simply delivered or refused. */
export type OddAttemptReason =
  | "duplicate"
  | "late"
  /** It was bought for an all-or-nothing order that could not be completed. */
  | "incomplete"
  /** The supplier's price is not the cost of the route. */
  | "price"
  | "written_off"
  | "doubted"
  | "accepted"
  | "not_sent"
  | "no_answer";

export type OddAttemptRow = {
  supplierId: string;
  orderId: string;
  lineIndex: number;
  unitIndex: number;
  number: number;
  productId: string;
  status: "quarantined" | "open" | "delivered" | "refused";
  reason: OddAttemptReason | null;
  costMinor: bigint | null;
  costCurrency: string | null;
  priceMinor: bigint | null;
  priceCurrency: string | null;
  openedAt: Date;
};

/** Purchases in quarantine, unknown or at an unexpected price, newest first. A unit is bought at most once, so it has one code in quarantine. */
export const listOddAttempts = (db: Queryable, filter: StatementFilter, limit: number) =>
  db.rows<OddAttemptRow>(sql`
    select a.supplier_id as "supplierId", a.order_id as "orderId", a.line_index as "lineIndex",
           a.unit_index as "unitIndex", a.number, a.product_id as "productId", a.status, a.opened_at as "openedAt",
           a.cost_minor as "costMinor", a.cost_currency as "costCurrency", a.supplier_price_minor as "priceMinor",
           a.supplier_price_currency as "priceCurrency",
           case
             when a.status in ('delivered', 'refused') then 'price'
             when a.status = 'quarantined' then (
               select c.quarantine_reason from codes c
               where c.state = 'quarantined' and c.supplier_id = a.supplier_id and c.order_id = a.order_id
                 and c.line_index = a.line_index and c.unit_index = a.unit_index
               limit 1
             )
             when a.written_off_at is not null then 'written_off'
             when a.doubted_failure_code is not null then 'doubted'
             when a.upstream_id is not null then 'accepted'
             when a.sends = 0 then 'not_sent'
             else 'no_answer'
           end as reason
    from (
      select a.* from supplier_attempts a
      where (a.status in ('quarantined', 'open') or ${hasOtherPrice}) and ${selected(filter)}
      order by a.opened_at desc, a.order_id desc, a.line_index, a.unit_index
      limit ${limit}
    ) a
    order by a.opened_at desc, a.order_id desc, a.line_index, a.unit_index`);

/** A route without a cost expects no price. */
const hasOtherPrice = sql`
  a.cost_minor is not null and a.supplier_price_minor is not null
  and (a.supplier_price_minor, a.supplier_price_currency) <> (a.cost_minor, a.cost_currency)`;

const selected = ({ supplierId, from, to }: StatementFilter): Sql => sql`
  a.environment = 'live'
  ${supplierId === undefined ? empty : sql`and a.supplier_id = ${supplierId}`}
  ${from === undefined ? empty : sql`and a.opened_at >= ${from}`}
  ${to === undefined ? empty : sql`and a.opened_at < ${to}`}`;
