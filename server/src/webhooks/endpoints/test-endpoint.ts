import { randomUUID } from "node:crypto";
import sql, { type Sql } from "sql-template-tag";
import type { By } from "../../activity/record-activity.ts";
import type { Db, Queryable, Tx } from "../../db/database.ts";
import { emitEvents } from "../../events/emit-events.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import { idsOf } from "../../lib/ids.ts";
import { notFound, Problem } from "../../lib/problem.ts";
import { type DeliveryRow, findDelivery } from "../history/history-queries.ts";
import { recordOnEndpoint } from "./endpoint-activity.ts";
import { getActiveEndpoint } from "./read-endpoints.ts";

/** Tests go to a server that is not ours, and its owner may not be the one who asks for them. */
export const TESTS_PER_MINUTE_MAX = 10;
const MINUTE_MS = 60_000;

/** Sends `webhook.test` to this endpoint only, subscribed or not, through the same pipeline as every event. */
export async function testEndpoint(
  deps: { db: Db; clock: Clock; announceDeliveries: () => void },
  tenant: Tenant,
  endpointId: string,
  by?: By,
): Promise<DeliveryRow> {
  await getActiveEndpoint(deps.db, tenant, endpointId);
  const now = deps.clock.now();
  const deliveryId = await insertTest(deps, tenant, endpointId, now, by);
  if (deliveryId === undefined) await refuseTest(deps.db, endpointId, now);
  deps.announceDeliveries();
  const row = deliveryId && (await findDelivery(deps.db, tenant, deliveryId));
  // Removed or switched off in between.
  if (!row) throw notFound();
  return row;
}

/** Throws if the endpoint has had its tests for this minute. */
async function refuseTest(db: Queryable, endpointId: string, now: Date): Promise<void> {
  const [row] = await db.rows<{ oldest: Date | null }>(sql`
    select (select min(at) from unnest(recent_tests) as at where ${isRecent(now)}) as oldest
    from webhook_endpoints where id = ${endpointId} and active and deleted_at is null`);
  if (!row?.oldest) return;
  const seconds = Math.max(1, Math.ceil((row.oldest.getTime() + MINUTE_MS - now.getTime()) / 1_000));
  throw new Problem(
    "rate_limited",
    `This endpoint was sent ${TESTS_PER_MINUTE_MAX} test events within a minute. Try again in ${seconds} s.`,
    { headers: { "retry-after": String(seconds) } },
  );
}

const isRecent = (now: Date): Sql => sql`at > ${new Date(now.getTime() - MINUTE_MS)}::timestamptz`;

/**
 * Counts the test and writes its event and delivery. The count locks the endpoint, so that two tests at the same moment
 * are counted one after the other. Returns the delivery's id, or undefined if the endpoint is gone or has had enough tests.
 */
const insertTest = (
  { db, clock }: { db: Db; clock: Clock },
  tenant: Tenant,
  endpointId: string,
  now: Date,
  by: By | undefined,
): Promise<string | undefined> =>
  db.transaction(async (tx) => {
    if (!(await countTest(tx, tenant, endpointId, now))) return undefined;
    const { resellerId, environment } = tenant;
    const [eventId] = await emitEvents(
      tx,
      [
        {
          type: "webhook.test",
          resellerId,
          environment,
          subject: { kind: "webhook", id: endpointId },
          // Each test is a new event.
          cause: randomUUID(),
          data: { webhook_id: endpointId },
        },
      ],
      idsOf(clock),
      now,
    );
    await recordOnEndpoint(tx, clock, { by, tenant, id: endpointId, action: "webhook.tested" });
    const [delivery] = await tx.rows<{ id: string }>(sql`
      select id from deliveries where event_id = ${eventId} and endpoint_id = ${endpointId}`);
    return delivery?.id;
  });

/** False if the endpoint is gone or has had its tests for this minute. */
const countTest = async (tx: Tx, tenant: Tenant, endpointId: string, now: Date): Promise<boolean> => {
  const counted = await tx.rows(sql`
    update webhook_endpoints
    set recent_tests = array(select at from unnest(recent_tests) as at where ${isRecent(now)}) || ${now}::timestamptz
    where id = ${endpointId} and reseller_id = ${tenant.resellerId} and environment = ${tenant.environment}
      and deleted_at is null and active
      and (select count(*) from unnest(recent_tests) as at where ${isRecent(now)}) < ${TESTS_PER_MINUTE_MAX}
    returning id`);
  return counted.length > 0;
};
