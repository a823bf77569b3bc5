import sql from "sql-template-tag";
import { isSubscribed } from "../events/event-queries.ts";
import { BROADCAST_TYPES } from "../events/event-types.ts";

/** Events are kept for a while and then dropped; what is asked for here is younger than that, with a day to spare. */
const KEPT = sql`interval '29 days'`;

/** What waits for an endpoint that was switched off is ended by a sweep, some of it at a time. */
const SWEPT_WITHIN = sql`interval '10 minutes'`;

/** Orders from before there were events have none. */
const told = sql`
  greatest((select applied_at from schema_migrations where name = '0004_webhooks.sql'), now() - ${KEPT})`;

/**
 * Each completion and each refund is told by exactly one event, which says what came of it and belongs to the order's
 * reseller and environment; and no event tells of anything else.
 */
export const untoldEvents = sql`
  select 'order ' || o.id || ' was completed and no event tells of it' as violation
  from orders o
  left join events e on e.order_id = o.id and e.cause = 'fulfilled'
  left join (
    select order_id, sum(fulfilled_quantity) as delivered from order_lines group by order_id
  ) l on l.order_id = o.id
  where (o.status = 'completed' or (o.status = 'refunded' and l.delivered > 0))
    and o.created_at > ${told} and e.id is null
  union all
  select 'refund ' || r.id || ' of ' || r.order_id || ': no event tells of it'
  from ledger_entries r
  left join events e on e.order_id = r.order_id and e.cause = r.id
  where r.type = 'refund' and r.created_at > ${told} and e.id is null
  union all
  select 'event ' || e.id || ' tells of nothing that happened to ' || e.order_id
  from events e
  left join orders o on o.id = e.order_id
  left join ledger_entries r on r.order_id = e.order_id and r.id = e.cause and r.type = 'refund'
  where e.order_id is not null and (
    o.id is null or o.reseller_id <> e.reseller_id or o.environment <> e.environment
    or case when e.cause = 'fulfilled' then e.type <> 'order.fulfilled' or o.status not in ('completed', 'refunded')
         else e.type <> 'order.refunded' or r.id is null end)`;

/** One delivery for each event and endpoint, of one tenant; what waits has a time, what ended has none. */
export const misdirectedDeliveries = sql`
  select 'delivery ' || d.id || ' takes an event of another reseller or environment to its endpoint' as violation
  from deliveries d
  join events e on e.id = d.event_id
  join webhook_endpoints w on w.id = d.endpoint_id
  where e.reseller_id <> w.reseller_id or e.environment <> w.environment
  union all
  select 'event ' || e.id || ' has no delivery to ' || w.id || ', which was subscribed'
  from events e
  join webhook_endpoints w on w.reseller_id = e.reseller_id and w.environment = e.environment
  left join deliveries d on d.event_id = e.id and d.endpoint_id = w.id
  where d.id is null and e.type = any(${BROADCAST_TYPES}::text[]) and e.created_at > now() - ${KEPT}
    and w.active and w.updated_at < e.created_at - interval '1 minute' and ${isSubscribed}
  union all
  select 'event ' || event_id || ' has ' || count(*) || ' deliveries to ' || endpoint_id
  from deliveries group by event_id, endpoint_id having count(*) > 1
  union all
  select 'delivery ' || d.id || ' waits for an endpoint that is no longer active'
  from deliveries d
  join webhook_endpoints w on w.id = d.endpoint_id
  where d.status = 'pending' and (w.deleted_at is not null or not w.active)
    and w.updated_at < now() - ${SWEPT_WITHIN}`;
