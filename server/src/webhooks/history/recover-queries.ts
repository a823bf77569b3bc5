import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import { isSubscribed, range } from "../../events/event-queries.ts";
import { BROADCAST_TYPES } from "../../events/event-types.ts";
import type { Tenant } from "../../http/caller.ts";

/** How many deliveries one call recovers. A caller with more to recover asks again. */
export const RECOVERED_MAX = 10_000;

export type Recovery = { endpointId: string; fromId: string; toId: string | undefined; now: Date };

/** Any fixed number works; with the hash of an endpoint it is that endpoint's lock. */
const RECOVERIES_LOCK = 7_242_016;

/**
 * One recovery of an endpoint at a time. A delivery is unique by its id and by its event and endpoint, and `on conflict`
 * watches one of the two: when two statements insert the same delivery at the same moment, the other one fails.
 */
export const lockRecoveries = (tx: Tx, endpointId: string) =>
  tx.rows(sql`select pg_advisory_xact_lock(${RECOVERIES_LOCK}, hashtext(${endpointId}))`);

/**
 * A delivery of each event in that range that the endpoint is subscribed to now and has not received: a new one where there
 * was none, a restarted one where it failed. Deliveries that are pending or delivered stay as they are. Oldest first. A test
 * event is never recovered.
 */
export async function recoverDeliveries(
  db: Queryable,
  tenant: Tenant,
  { endpointId, fromId, toId, now }: Recovery,
): Promise<{ recovered: number; hasMore: boolean }> {
  const [row] = await db.rows<{ recovered: number; wanted: number }>(sql`
    with wanted as materialized (
      select e.id
      from events e
      join webhook_endpoints w on w.id = ${endpointId} and w.deleted_at is null and w.active
        and w.reseller_id = e.reseller_id and w.environment = e.environment
      left join deliveries d on d.event_id = e.id and d.endpoint_id = ${endpointId}
      where ${range(tenant, { fromId, toId })}
        and e.type = any(${BROADCAST_TYPES}::text[]) and ${isSubscribed}
        and (d.id is null or d.status = 'failed')
      order by e.reseller_id, e.environment, e.id limit ${RECOVERED_MAX + 1}
    ), begun as (
      insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
      select delivery_id(id, ${endpointId}), id, ${endpointId}, ${now}, ${now}
      from (select id from wanted order by id limit ${RECOVERED_MAX}) chosen order by id
      on conflict (id) do update
        set status = 'pending', step = 0, next_attempt_at = excluded.next_attempt_at
        where deliveries.status = 'failed'
      returning id
    )
    select (select count(*) from begun)::integer as recovered, (select count(*) from wanted)::integer as wanted`);
  const { recovered = 0, wanted = 0 } = row ?? {};
  return { recovered, hasMore: wanted > RECOVERED_MAX };
}
