import sql from "sql-template-tag";
import type { Tx } from "../db/database.ts";
import { newId, timeOfId } from "../lib/ids.ts";
import { eventBody } from "./event-body.ts";
import type { EventType } from "./event-types.ts";

/** Something that happened to an order. The cause makes sure that it is told once. */
export type OrderEvent = {
  orderId: string;
  type: EventType & `order.${string}`;
  status: string;
  /** `fulfilled`, or the id of the ledger's entry. */
  cause: string;
};

/** CONTRACT 7, `webhook_late`. */
const LATE_MS = 60_000;

/**
 * Writes events, and a delivery of each for every endpoint that is subscribed now, in the transaction of what they tell
 * of: neither can be there without the other. A delivery's id is made of its event and endpoint.
 */
export async function emitOrderEvents(tx: Tx, events: readonly OrderEvent[], now: Date): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => {
    const id = newId("evt", now.getTime());
    // The time inside the id, so that a range of times is a range of ids.
    const createdAt = new Date(timeOfId(id));
    const data = { order_id: event.orderId, status: event.status };
    return { ...event, id, createdAt, body: eventBody({ id, type: event.type, createdAt, data }) };
  });
  const late = new Date(now.getTime() + LATE_MS);
  await tx.rows(
    sql`
      with told as (
        insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at, test_scenario)
        select e.id, o.reseller_id, o.environment, e.type, e.body, o.id, e.cause, e.created_at,
               case when o.test_scenario like 'webhook%' then o.test_scenario end
        from unnest(
          ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.orderId)}::text[],
          ${rows.map((row) => row.type)}::text[], ${rows.map((row) => row.body)}::text[],
          ${rows.map((row) => row.cause)}::text[],
          ${rows.map((row) => row.createdAt.toISOString())}::timestamptz[]
        ) as e (id, order_id, type, body, cause, created_at)
        join orders o on o.id = e.order_id
        returning id, reseller_id, environment, type, test_scenario
      )
      insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
      select delivery_id(told.id, w.id), told.id, w.id,
             case when told.test_scenario = 'webhook_late' then ${late}::timestamptz else ${now}::timestamptz end, ${now}
      from told
      join webhook_endpoints w on w.reseller_id = told.reseller_id and w.environment = told.environment
        and w.deleted_at is null and w.active and (w.events is null or told.type = any(w.events))`,
    { name: "emit-events" },
  );
}
