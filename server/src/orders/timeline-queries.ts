import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";

/** One thing that happened to an order. What a kind of entry does not have is null. */
export type TimelineRow = {
  at: Date;
  type: TimelineType;
  lineIndex: number | null;
  unitIndex: number | null;
  failureCode: string | null;
  amountMinor: bigint | null;
  currency: string;
  eventId: string | null;
  eventType: string | null;
  webhookId: string | null;
  codeCount: number | null;
  keyId: string | null;
};

/** In the order of things that happened at the same time. */
export const TIMELINE_TYPES = [
  "accepted",
  "processing",
  "unit_delivered",
  "unit_refused",
  "completed",
  "failed",
  "refunded",
  "event_created",
  "event_delivered",
  "codes_revealed",
] as const;
export type TimelineType = (typeof TIMELINE_TYPES)[number];

/** Codes can be read any number of times. Only the latest readings are shown. */
const REVEALS_SHOWN_MAX = 100;

/**
 * What is stored about one order anyway, read by its id from each table in one statement. While an order that is all or
 * nothing is processed nothing of it is delivered yet. Suppliers, costs and people are not read at all.
 */
export const listTimelineRows = (db: Queryable, tenant: Tenant, orderId: string) =>
  db.rows<TimelineRow>(
    sql`
      with o as materialized (
        select id, created_at, processing_at, ended_at, updated_at, status, all_or_nothing, currency,
               exists (
                 select from order_units u where u.order_id = orders.id and u.delivered_at is not null) as has_delivered
        from orders
        where id = ${orderId} and reseller_id = ${tenant.resellerId} and environment = ${tenant.environment}
      ), entry (at, type, line_index, unit_index, failure_code, amount_minor, event_id, event_type, webhook_id, code_count,
                key_id) as (
        select created_at, 'accepted', null::smallint, null::integer, null, null::bigint, null, null, null, null::integer, null
        from o
        union all
        select processing_at, 'processing', null, null, null, null, null, null, null, null, null
        from o where processing_at is not null
        union all
        select u.delivered_at, 'unit_delivered', u.line_index, u.unit_index, null, null, null, null, null, null, null
        from o join order_units u on u.order_id = o.id
        where u.delivered_at is not null and not (o.all_or_nothing and o.status = 'processing')
        union all
        select coalesce(u.failed_at, o.ended_at, o.updated_at), 'unit_refused', u.line_index, u.unit_index, u.failure_code,
               null, null, null, null, null, null
        from o join order_units u on u.order_id = o.id
        where u.failure_code is not null
        union all
        select ended_at, case when has_delivered then 'completed' else 'failed' end,
               null, null, null, null, null, null, null, null, null
        from o where ended_at is not null
        union all
        select l.created_at, 'refunded', null, null, null, l.amount_minor, null, null, null, null, null
        from o join ledger_entries l on l.order_id = o.id and l.type = 'refund'
        union all
        select e.created_at, 'event_created', null, null, null, null, e.id, e.type, null, null, null
        from o join events e on e.order_id = o.id
        union all
        select d.delivered_at, 'event_delivered', null, null, null, null, e.id, e.type, d.endpoint_id, null, null
        from o join events e on e.order_id = o.id join deliveries d on d.event_id = e.id
        where d.delivered_at is not null
        union all
        select r.revealed_at, 'codes_revealed', null, null, null, null, null, null, null, r.code_count, r.key_id
        from o cross join lateral (
          select revealed_at, code_count, key_id from code_reveals where order_id = o.id
          order by id desc limit ${REVEALS_SHOWN_MAX}
        ) r
      )
      select e.at, e.type, e.line_index as "lineIndex", e.unit_index as "unitIndex", e.failure_code as "failureCode",
             e.amount_minor as "amountMinor", o.currency, e.event_id as "eventId", e.event_type as "eventType",
             e.webhook_id as "webhookId", e.code_count as "codeCount", e.key_id as "keyId"
      from entry e cross join o
      order by e.at, array_position(${TIMELINE_TYPES}::text[], e.type), e.line_index, e.unit_index, e.event_id`,
    { name: "list-timeline" },
  );
