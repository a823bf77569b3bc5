import sql, { type Sql } from "sql-template-tag";
import { isSubscribed } from "../events/event-queries.ts";
import { BROADCAST_TYPES } from "../events/event-types.ts";
import type { Extent } from "./extent.ts";

/** Events are deleted after a retention period. Only younger ones are checked, with a margin of one day. */
const KEPT = sql`interval '29 days'`;

/** Deliveries that are pending for a deactivated endpoint are ended by a sweep, in batches. */
const SWEPT_WITHIN = sql`interval '10 minutes'`;

/** Orders from before events existed have none. */
const told = sql`
  greatest((select applied_at from schema_migrations where name = '0004_webhooks.sql'), now() - ${KEPT})`;

/**
 * Each completion and each refund has exactly one event with its outcome, which belongs to the order's reseller and
 * environment. There are no other events.
 */
export const untoldEvents = ({ orders, lines, entries, events }: Extent): Sql => sql`
  select 'order ' || o.id || ' was completed but has no event' as violation
  from ${orders} o
  left join ${events} e on e.order_id = o.id and e.cause = 'fulfilled'
  left join (
    select order_id, sum(fulfilled_quantity) as delivered from ${lines} l group by order_id
  ) l on l.order_id = o.id
  where (o.status = 'completed' or (o.status = 'refunded' and l.delivered > 0))
    and o.created_at > ${told} and e.id is null
  union all
  select 'refund ' || r.id || ' of ' || r.order_id || ' has no event'
  from ${entries} r
  left join ${events} e on e.order_id = r.order_id and e.cause = r.id
  where r.type = 'refund' and r.created_at > ${told} and e.id is null
  union all
  select 'event ' || e.id || ' does not match anything that happened to ' || e.order_id
  from ${events} e
  left join ${orders} o on o.id = e.order_id
  left join ${entries} r on r.order_id = e.order_id and r.id = e.cause and r.type = 'refund'
  where e.order_id is not null and (
    o.id is null or o.reseller_id <> e.reseller_id or o.environment <> e.environment
    or case when e.cause = 'fulfilled' then e.type <> 'order.fulfilled' or o.status not in ('completed', 'refunded')
         else e.type <> 'order.refunded' or r.id is null end)
  union all
  select coalesce(order_id, subject_kind || ' ' || subject_id) || ' has ' || count(*) || ' events for ' || cause
  from ${events} e where cause is not null
  group by order_id, subject_kind, subject_id, reseller_id, environment, cause having count(*) > 1`;

/** A partition has unique indexes of its own: none can cover all partitions. How many each has, without its primary key. */
const UNIQUE_INDEXES = { events: 2, deliveries: 1 };

export const openPartitions = (): Sql => sql`
  select 'the partition ' || p.relname || ' lacks a unique index' as violation
  from unnest(${Object.keys(UNIQUE_INDEXES)}::text[], ${Object.values(UNIQUE_INDEXES)}::integer[]) as wanted (name, indexes)
  join pg_inherits i on i.inhparent = to_regclass(wanted.name)
  join pg_class p on p.oid = i.inhrelid
  where wanted.indexes > (
    select count(*) from pg_index x
    where x.indrelid = p.oid and x.indisunique and x.indisvalid and not x.indisprimary)`;

/**
 * One delivery for each event and endpoint of one tenant. A pending delivery has a due time; an ended one has none.
 */
export const misdirectedDeliveries = ({ events, deliveries }: Extent): Sql => sql`
  select 'delivery ' || d.id || ' carries an event of another reseller or environment' as violation
  from ${deliveries} d
  join ${events} e on e.id = d.event_id
  join webhook_endpoints w on w.id = d.endpoint_id
  where e.reseller_id <> w.reseller_id or e.environment <> w.environment
  union all
  select 'event ' || e.id || ' has no delivery to ' || w.id || ', which was subscribed'
  from ${events} e
  join webhook_endpoints w on w.reseller_id = e.reseller_id and w.environment = e.environment
  left join ${deliveries} d on d.event_id = e.id and d.endpoint_id = w.id
  where d.id is null and e.type = any(${BROADCAST_TYPES}::text[]) and e.created_at > now() - ${KEPT}
    and w.active and w.updated_at < e.created_at - interval '1 minute' and ${isSubscribed}
  union all
  select 'delivery ' || d.id || ' has no event'
  from ${deliveries} d left join ${events} e on e.id = d.event_id where e.id is null
  union all
  select 'event ' || event_id || ' has ' || count(*) || ' deliveries to ' || endpoint_id
  from ${deliveries} d group by event_id, endpoint_id having count(*) > 1
  union all
  select 'delivery ' || d.id || ' is pending for an inactive endpoint'
  from deliveries d
  join webhook_endpoints w on w.id = d.endpoint_id
  where d.status = 'pending' and (w.deleted_at is not null or not w.active)
    and w.updated_at < now() - ${SWEPT_WITHIN}`;
