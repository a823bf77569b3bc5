import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addDelivery, addEvent } from "../../../testing/builders/webhook-builders.ts";
import { openWebhookDesk, type WebhookDesk } from "../../../testing/builders/webhook-desk.ts";
import { eventually } from "../../../testing/eventually.ts";

let desk: WebhookDesk;

before(async () => {
  desk = await openWebhookDesk();
});
after(() => desk.scrip.close());

test("DELETE answers {}, fails waiting deliveries, and then the endpoint is not found", async () => {
  const { webhook } = await desk.register();
  const other = await desk.register();
  const { db } = desk.scrip;
  const statuses = ["pending", "delivered", "failed", "pending"] as const;
  for (const status of statuses) {
    const eventId = await addEvent(db, desk.live);
    await addDelivery(db, { eventId, endpointId: webhook.id, status });
    await addDelivery(db, { eventId, endpointId: other.webhook.id, status });
  }
  assert.deepEqual(await desk.get("DELETE", `/v1/webhooks/${webhook.id}`), {});
  const statusesOf = async (id: string) =>
    (
      await db.rows<{ status: string }>(
        sql`select status from deliveries where endpoint_id = ${id} order by id`,
      )
    ).map(({ status }) => status);
  assert.deepEqual(await statusesOf(webhook.id), ["failed", "delivered", "failed", "failed"]);
  assert.deepEqual(await statusesOf(other.webhook.id), statuses);
  for (const method of ["GET", "DELETE"])
    assert.equal((await desk.ask(method, `/v1/webhooks/${webhook.id}`)).statusCode, 404);
  const [row] = await db.rows(
    sql`select active, deleted_at as "deletedAt" from webhook_endpoints where id = ${webhook.id}`,
  );
  assert.deepEqual(row, { active: false, deletedAt: desk.clock.now() });
});

test("however many deliveries wait for an endpoint, all of them end with it", async () => {
  const { webhook } = await desk.register();
  const { db } = desk.scrip;
  await db.rows(sql`
    with told as (
      insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at)
      select 'evt_many_' || n, ${desk.live.resellerId}, 'live', 'order.fulfilled', '{}', 'ord_many_' || n, 'fulfilled', now()
      from generate_series(1, 5001) n returning id
    )
    insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
    select 'dlv_' || id, id, ${webhook.id}, now(), now() from told`);
  await desk.get("DELETE", `/v1/webhooks/${webhook.id}`);
  const rows = await db.rows(sql`
    select status, count(*)::integer as count from deliveries where endpoint_id = ${webhook.id} group by status`);
  assert.deepEqual(rows, [{ status: "failed", count: 5_001 }]);
});

test("DELETE does not wait for a worker that holds the endpoint's delivery and wants the endpoint", async () => {
  const { webhook } = await desk.register();
  const { db } = desk.scrip;
  const eventId = await addEvent(db, desk.live);
  const id = await addDelivery(db, { eventId, endpointId: webhook.id });
  const removed = await db.transaction(async (tx) => {
    await tx.rows(sql`update deliveries set step = 1 where id = ${id}`);
    const removing = desk.get("DELETE", `/v1/webhooks/${webhook.id}`);
    await eventually("the endpoint is marked", async () => {
      const rows = await db.rows(
        sql`select from webhook_endpoints where id = ${webhook.id} and deleted_at is not null`,
      );
      return rows.length || undefined;
    });
    await tx.rows(
      sql`update webhook_endpoints set failing_since = now(), failures = 1 where id = ${webhook.id}`,
    );
    return { removing };
  });
  assert.deepEqual(await removed.removing, {});
  const [row] = await db.rows<{ status: string }>(sql`select status from deliveries where id = ${id}`);
  assert.equal(row?.status, "failed");
});
