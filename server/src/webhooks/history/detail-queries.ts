import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import {
  ATTEMPTS_SHOWN_MAX,
  type AttemptRow,
  type DeliveryRow,
  type DeliveryStatus,
} from "./history-queries.ts";

export type DeliveryDetailRow = Omit<DeliveryRow, "attempts"> & {
  /** The latest attempts, in order, each with the start of its answer; null if there were none. */
  attempts: AttemptRow[] | null;
  url: string;
  isActive: boolean;
  orderId: string | null;
  /** The body of the event, as every attempt sends it. */
  body: string;
};

/** One delivery with all that is known of its attempts. */
export const findDeliveryDetail = async (
  db: Queryable,
  tenant: Tenant,
  id: string,
): Promise<DeliveryDetailRow | undefined> => {
  const [row] = await db.rows<DeliveryDetailRow>(sql`
    select d.id, d.event_id as "eventId", e.type as "eventType", d.endpoint_id as "webhookId", d.status,
           d.attempts as "attemptCount", d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt",
           d.delivered_at as "deliveredAt", w.url, w.active as "isActive", e.order_id as "orderId", e.body,
           (
             select json_agg(json_build_object(
               'number', a.number, 'at', a.at, 'status', a.response_status, 'error', a.error, 'latencyMs', a.latency_ms,
               'responseBody', a.response_body, 'responseHeaders', a.response_headers) order by a.number)
             from (
               select * from delivery_attempts where delivery_id = d.id
               order by number desc limit ${ATTEMPTS_SHOWN_MAX}
             ) a
           ) as attempts
    from deliveries d
    join webhook_endpoints w on w.id = d.endpoint_id and w.deleted_at is null
      and w.reseller_id = ${tenant.resellerId} and w.environment = ${tenant.environment}
    join events e on e.id = d.event_id
    where d.id = ${id}`);
  return row;
};

export type EventDeliveryRow = {
  id: string;
  eventId: string;
  webhookId: string;
  url: string;
  status: DeliveryStatus;
  attemptCount: number;
  nextAttemptAt: Date | null;
  deliveredAt: Date | null;
};

/** The deliveries of these events to endpoints that are still there, in the order of their ids. */
export const listEventDeliveryRows = (db: Queryable, tenant: Tenant, eventIds: readonly string[]) =>
  db.rows<EventDeliveryRow>(sql`
    select d.id, d.event_id as "eventId", d.endpoint_id as "webhookId", w.url, d.status, d.attempts as "attemptCount",
           d.next_attempt_at as "nextAttemptAt", d.delivered_at as "deliveredAt"
    from deliveries d
    join webhook_endpoints w on w.id = d.endpoint_id and w.deleted_at is null
      and w.reseller_id = ${tenant.resellerId} and w.environment = ${tenant.environment}
    where d.event_id = any(${eventIds}::text[])
    order by d.id`);

/** How many deliveries of the range have each status. It counts at most `limit` of them, oldest first. */
export const countByStatus = (
  db: Queryable,
  endpointId: string,
  range: { fromId: string; toId: string },
  limit: number,
) =>
  db.rows<{ status: DeliveryStatus; count: number }>(sql`
    select status, count(*)::integer as count
    from (
      select status from deliveries
      where (endpoint_id, id) >= (${endpointId}, ${range.fromId}) and (endpoint_id, id) < (${endpointId}, ${range.toId})
      order by endpoint_id, id limit ${limit}
    ) counted
    group by status`);
