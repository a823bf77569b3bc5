import sql from "sql-template-tag";
import type { Db, Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { Clock } from "../lib/clock.ts";
import { newId, timeOfId } from "../lib/ids.ts";
import { notFound } from "../lib/problem.ts";
import { eventBody } from "./event-body.ts";
import { getEndpoint } from "./get-endpoint.ts";
import { type DeliveryRow, findDelivery } from "./history-queries.ts";
import { inactiveEndpoint } from "./inactive-endpoint.ts";

/** Sends `webhook.test` to this endpoint alone, whatever it is subscribed to, by the way that every event goes. */
export async function testEndpoint(
  deps: { db: Db; clock: Clock; announceDeliveries: () => void },
  tenant: Tenant,
  endpointId: string,
): Promise<DeliveryRow> {
  const { active } = await getEndpoint(deps.db, tenant, endpointId);
  if (!active) throw inactiveEndpoint();
  const deliveryId = await insertTest(deps.db, tenant, endpointId, deps.clock.now());
  deps.announceDeliveries();
  const row = deliveryId && (await findDelivery(deps.db, tenant, deliveryId));
  // Removed or switched off in between.
  if (!row) throw notFound();
  return row;
}

/** The event and its delivery, in one statement. The id of the delivery, or undefined where the endpoint is no more. */
async function insertTest(
  db: Queryable,
  tenant: Tenant,
  endpointId: string,
  now: Date,
): Promise<string | undefined> {
  const id = newId("evt", now.getTime());
  const createdAt = new Date(timeOfId(id));
  const body = eventBody({ id, type: "webhook.test", createdAt, data: { webhook_id: endpointId } });
  const [row] = await db.rows<{ id: string }>(sql`
    with told as (
      insert into events (id, reseller_id, environment, type, body, created_at)
      select ${id}, reseller_id, environment, 'webhook.test', ${body}, ${createdAt} from webhook_endpoints
      where id = ${endpointId} and reseller_id = ${tenant.resellerId} and environment = ${tenant.environment}
        and deleted_at is null and active
      returning id
    )
    insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
    select delivery_id(id, ${endpointId}), id, ${endpointId}, ${now}, ${now} from told
    returning id`);
  return row?.id;
}
