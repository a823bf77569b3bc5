import sql from "sql-template-tag";
import type { Queryable } from "../../src/db/database.ts";
import { eventBody, type NewEvent } from "../../src/events/emit-events.ts";
import type { EventType } from "../../src/events/event-types.ts";
import type { Tenant } from "../../src/http/caller.ts";
import { newId } from "./new-id.ts";

/** Inserts an endpoint without a secret directly into the table. */
export async function addEndpoint(
  db: Queryable,
  endpoint: Tenant & { id?: string; events?: string[]; active?: boolean; deleted?: boolean },
): Promise<string> {
  const { id = newId("whk"), events = null, deleted = false, active = !deleted } = endpoint;
  await db.rows(sql`
    insert into webhook_endpoints (id, reseller_id, environment, url, events, active, created_at, updated_at, deleted_at)
    values (${id}, ${endpoint.resellerId}, ${endpoint.environment}, 'https://hooks.example.com/', ${events}, ${active},
            now(), now(), ${deleted ? new Date() : null})`);
  return id;
}

/** The event of an order that has just completed. */
export const fulfilledEvent = (tenant: Tenant, orderId: string): NewEvent => ({
  ...tenant,
  type: "order.fulfilled",
  subject: { kind: "order", id: orderId },
  cause: "fulfilled",
  data: { order_id: orderId, status: "fulfilled", environment: "live" },
});

/** An event of an order that was never placed. */
export async function addEvent(
  db: Queryable,
  event: Tenant & { id?: string; type?: EventType; orderId?: string; at?: Date },
): Promise<string> {
  const { type = "order.fulfilled", at = new Date() } = event;
  const { id = newId("evt", at.getTime()), orderId = newId("ord", at.getTime()) } = event;
  const data = { order_id: orderId, status: "fulfilled", environment: "live" };
  await db.rows(sql`
    insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at)
    values (${id}, ${event.resellerId}, ${event.environment}, ${type},
            ${eventBody({ id, type, createdAt: at, data })}, ${orderId}, ${id}, ${at})`);
  return id;
}

export type DeliverySeed = {
  id?: string;
  eventId: string;
  endpointId: string;
  status?: "pending" | "delivered" | "failed";
};

/** A delivery as the worker would leave it, without its attempts. */
export async function addDelivery(db: Queryable, delivery: DeliverySeed): Promise<string> {
  const { id = null, eventId, endpointId, status = "pending" } = delivery;
  const [row] = await db.rows<{ id: string }>(sql`
    insert into deliveries (id, event_id, endpoint_id, status, next_attempt_at, created_at, delivered_at)
    values (coalesce(${id}, delivery_id(${eventId}, ${endpointId})), ${eventId}, ${endpointId}, ${status},
            case when ${status} = 'pending' then now() end, now(), case when ${status} = 'delivered' then now() end)
    returning id`);
  return row?.id ?? "";
}

export type AttemptSeed = {
  number: number;
  at: Date;
  status?: number;
  error?: string;
  body?: string;
  headers?: string;
};

export const addAttempt = (db: Queryable, deliveryId: string, attempt: AttemptSeed) =>
  db.rows(sql`
    with made as (
      insert into delivery_attempts (delivery_id, number, at, response_status, error, latency_ms, response_body,
                                     response_headers)
      values (${deliveryId}, ${attempt.number}, ${attempt.at}, ${attempt.status ?? null}, ${attempt.error ?? null}, 120,
              ${attempt.body ?? null}, ${attempt.headers ?? null})
    )
    update deliveries set attempts = ${attempt.number} where id = ${deliveryId}`);
