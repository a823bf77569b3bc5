import sql, { type Sql } from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { EventType } from "../../events/event-types.ts";
import type { Tenant } from "../../http/caller.ts";
import { EXAMINED_MAX, type LookedRow, NO_ID, type Slice, toSlice } from "../../lib/slice.ts";

export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type AttemptRow = {
  number: number;
  at: string;
  status: number | null;
  error: string | null;
  latencyMs: number;
  responseBody: string | null;
  /** Only a page of one delivery has them: the lists do not read them. */
  responseHeaders?: string | null;
};

export type DeliveryRow = {
  id: string;
  eventId: string;
  eventType: string;
  webhookId: string;
  status: DeliveryStatus;
  attemptCount: number;
  /** The latest attempts, in order; null if there were none. */
  attempts: AttemptRow[] | null;
  nextAttemptAt: Date | null;
  createdAt: Date;
  deliveredAt: Date | null;
};

/** How many attempts of a delivery are shown. A delivery that was restarted can have more. */
export const ATTEMPTS_SHOWN_MAX = 20;

/** Only the latest answer is shown: a page with all answers could be megabytes. */
const deliveryColumns = sql`
  d.id, d.event_id as "eventId", e.type as "eventType", d.endpoint_id as "webhookId", d.status,
  d.attempts as "attemptCount", d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt",
  d.delivered_at as "deliveredAt",
  (
    select json_agg(json_build_object(
      'number', a.number, 'at', a.at, 'status', a.response_status, 'error', a.error, 'latencyMs', a.latency_ms,
      'responseBody', case when a.age = 1 then a.response_body end) order by a.number)
    from (
      select number, at, response_status, error, latency_ms, response_body, row_number() over (order by number desc) as age
      from delivery_attempts where delivery_id = d.id order by number desc limit ${ATTEMPTS_SHOWN_MAX}
    ) a
  ) as attempts`;

export const findDelivery = async (
  db: Queryable,
  tenant: Tenant,
  id: string,
): Promise<DeliveryRow | undefined> => {
  const [row] = await db.rows<DeliveryRow>(sql`
    select ${deliveryColumns}
    from deliveries d
    join webhook_endpoints w on w.id = d.endpoint_id and w.deleted_at is null
      and w.reseller_id = ${tenant.resellerId} and w.environment = ${tenant.environment}
    join events e on e.id = d.event_id
    where d.id = ${id}`);
  return row;
};

export type DeliverySelection = {
  status?: DeliveryStatus | undefined;
  eventType?: EventType | undefined;
  eventId?: string | undefined;
  orderId?: string | undefined;
  /** Bounds of the id, which bound the time of the event. */
  fromId?: string | undefined;
  toId?: string | undefined;
  beforeId: string | undefined;
  limit: number;
};

/**
 * Newest first, of an endpoint that is known to be the caller's. The range compares whole rows, so that one index fits it.
 * With an event or an order, its few deliveries are found first.
 */
export async function listDeliveryRows(
  db: Queryable,
  endpointId: string,
  selection: DeliverySelection,
): Promise<Slice<DeliveryRow>> {
  const { status = null, eventType = null, fromId = "", toId = NO_ID, beforeId = NO_ID, limit } = selection;
  const upperId = toId < beforeId ? toId : beforeId;
  const wanted = limit + 1;
  const examinedMax = status === null && eventType === null ? wanted : EXAMINED_MAX;
  const rows = await db.rows<LookedRow<DeliveryRow>>(sql`
    with examined as materialized (
      select d.* from ${deliverySource(endpointId, { ...selection, fromId, upperId }, examinedMax)} d
    ), matching as materialized (
      select d.* from examined d
      where (${status}::text is null or d.status = ${status})
        and (${eventType}::text is null
             or exists (select from events e where e.id = d.event_id and e.type = ${eventType}))
      order by d.id desc limit ${wanted}
    )
    select looked.*, shown.*
    from (select count(*)::integer as examined, min(id) as "lastExaminedId" from examined) looked
    left join (
      select ${deliveryColumns} from matching d
      cross join lateral (select type from events where id = d.event_id limit 1) e
    ) shown on true
    order by shown.id desc`);
  return toSlice(rows, limit, examinedMax);
}

/** The offset keeps PostgreSQL from searching all of the endpoint's deliveries for those of an event or an order. */
function deliverySource(
  endpointId: string,
  { eventId, orderId, fromId, upperId }: DeliverySelection & { fromId: string; upperId: string },
  count: number,
): Sql {
  if (eventId === undefined && orderId === undefined)
    return sql`newest_deliveries(${endpointId}, ${fromId}, ${upperId}, ${count})`;
  return sql`(
    select * from (
      select d.* from events e join deliveries d on d.event_id = e.id
      where (${eventId ?? null}::text is null or e.id = ${eventId ?? null})
        and (${orderId ?? null}::text is null or e.order_id = ${orderId ?? null})
      offset 0
    ) told
    where endpoint_id = ${endpointId} and id >= ${fromId} and id < ${upperId}
    order by id desc limit ${count})`;
}

/** False if the caller has no such delivery or its endpoint is not active. */
export const restartDelivery = async (
  db: Queryable,
  tenant: Tenant,
  id: string,
  now: Date,
): Promise<boolean> => {
  const restarted = await db.rows(sql`
    update deliveries d set status = 'pending', step = 0, next_attempt_at = ${now}, delivered_at = null
    from webhook_endpoints w
    where d.id = ${id} and w.id = d.endpoint_id and w.deleted_at is null and w.active
      and w.reseller_id = ${tenant.resellerId} and w.environment = ${tenant.environment}
    returning d.id`);
  return restarted.length > 0;
};

/** Ends waiting deliveries of the endpoint as failed, except locked ones. Returns how many. */
export const failWaiting = async (db: Queryable, endpointId: string, limit: number): Promise<number> => {
  const failed = await db.rows(sql`
    update deliveries set status = 'failed', next_attempt_at = null
    where id in (
      select id from deliveries where endpoint_id = ${endpointId} and status = 'pending' and ${isSwitchedOff(endpointId)}
      limit ${limit} for update skip locked
    )
    returning id`);
  return failed.length;
};

export const hasWaiting = async (db: Queryable, endpointId: string): Promise<boolean> => {
  const found = await db.rows(
    sql`
      select from deliveries where endpoint_id = ${endpointId} and status = 'pending' and ${isSwitchedOff(endpointId)}
      limit 1`,
  );
  return found.length > 0;
};

/** The endpoint may be active again by now. Then waiting deliveries are to be sent. */
const isSwitchedOff = (endpointId: string): Sql =>
  sql`exists (select from webhook_endpoints w where w.id = ${endpointId} and not w.active)`;
