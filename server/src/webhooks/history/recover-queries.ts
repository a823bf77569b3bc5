import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import { isSubscribed, range } from "../../events/event-queries.ts";
import { BROADCAST_TYPES } from "../../events/event-types.ts";
import type { Tenant } from "../../http/caller.ts";

/** How many deliveries one call brings back. Whoever has more to recover asks again. */
export const RECOVERED_MAX = 10_000;

export type Recovery = { endpointId: string; fromId: string; toId: string | undefined; now: Date };

/**
 * A delivery of each event of that time which the endpoint's subscription wants now and has not been told: new where there
 * was none, begun anew where it failed. Those that wait already or have arrived stay as they are. Oldest first, and in
 * that order too, so that two such statements queue. A test is for the endpoint that it was made for, at that time.
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
      on conflict (event_id, endpoint_id) do update
        set status = 'pending', step = 0, next_attempt_at = excluded.next_attempt_at
        where deliveries.status = 'failed'
      returning id
    )
    select (select count(*) from begun)::integer as recovered, (select count(*) from wanted)::integer as wanted`);
  const { recovered = 0, wanted = 0 } = row ?? {};
  return { recovered, hasMore: wanted > RECOVERED_MAX };
}
