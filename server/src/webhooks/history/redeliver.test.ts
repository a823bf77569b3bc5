import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import {
  addAttempt,
  addDelivery,
  addEndpoint,
  addEvent,
} from "../../../testing/builders/webhook-builders.ts";
import { openWebhookDesk, type WebhookDesk } from "../../../testing/builders/webhook-desk.ts";

let desk: WebhookDesk;
let endpointId: string;

before(async () => {
  desk = await openWebhookDesk();
  endpointId = (await desk.register()).webhook.id;
});
after(() => desk.scrip.close());

const stepOf = async (id: string) =>
  (await desk.scrip.db.rows<{ step: number }>(sql`select step from deliveries where id = ${id}`))[0]?.step;

for (const status of ["delivered", "failed", "pending"] as const) {
  test(`a ${status} delivery restarts: due now, with all retries`, async () => {
    const { db } = desk.scrip;
    const eventId = await addEvent(db, desk.live);
    const id = await addDelivery(db, { eventId, endpointId, status });
    await addAttempt(db, id, { number: 1, at: desk.clock.now(), status: 500, body: "no" });
    await db.rows(sql`update deliveries set step = 7 where id = ${id}`);
    desk.clock.advance(1_000);
    const { delivery } = await desk.tells(() => desk.get("POST", `/v1/deliveries/${id}/redeliver`));
    assert.deepEqual(
      [delivery.id, delivery.eventId, delivery.status, delivery.nextAttemptAt, delivery.attemptCount],
      [id, eventId, "pending", desk.clock.now().toISOString(), 1],
    );
    assert.equal("deliveredAt" in delivery, false);
    assert.equal(delivery.attempts[0]?.responseBody, "no");
    assert.equal(await stepOf(id), 0);
  });
}

test("a delivery that is older than the promise for events cannot be restarted, even if it is still there", async () => {
  const { db } = desk.scrip;
  for (const [days, status] of [
    [30, 200],
    [32, 404],
  ] as const) {
    const at = new Date(desk.clock.now().getTime() - days * 86_400_000);
    const id = await addDelivery(db, {
      eventId: await addEvent(db, { ...desk.live, at }),
      endpointId,
      status: "failed",
    });
    assert.equal((await desk.ask("POST", `/v1/deliveries/${id}/redeliver`)).statusCode, status);
  }
});

test("deliveries of another reseller, of the other environment and of a removed endpoint are not found and stay as they are", async () => {
  const { db } = desk.scrip;
  const removed = await addEndpoint(db, { ...desk.live, deleted: true });
  const foreign = await addEndpoint(db, desk.stranger);
  const sandboxes = await addEndpoint(db, desk.sandbox);
  const answers = new Set<string>();
  const ids = await Promise.all(
    [
      [desk.live, removed] as const,
      [desk.stranger, foreign] as const,
      [desk.sandbox, sandboxes] as const,
    ].map(async ([owner, id]) => {
      const eventId = await addEvent(db, owner);
      return addDelivery(db, { eventId, endpointId: id, status: "failed" });
    }),
  );
  for (const id of [...ids, "dlv_none", "%00"]) {
    const reply = await desk.ask("POST", `/v1/deliveries/${id}/redeliver`);
    assert.equal(reply.statusCode, 404);
    answers.add(reply.body.replace(String(reply.headers["x-request-id"]), "REQ"));
  }
  assert.equal(answers.size, 1);
  const rows = await db.rows(sql`select from deliveries where id = any(${ids}) and status = 'failed'`);
  assert.equal(rows.length, ids.length);
  await desk.get("POST", `/v1/deliveries/${ids[2]}/redeliver`, undefined, desk.sandbox);
});

test("a delivery to an endpoint that is not active is not restarted: 409", async () => {
  const { db } = desk.scrip;
  const { webhook } = await desk.register();
  const eventId = await addEvent(db, desk.live);
  const id = await addDelivery(db, { eventId, endpointId: webhook.id, status: "failed" });
  await desk.get("PATCH", `/v1/webhooks/${webhook.id}`, { active: false });
  const reply = await desk.ask("POST", `/v1/deliveries/${id}/redeliver`);
  assert.deepEqual([reply.statusCode, reply.json().code], [409, "webhook_inactive"]);
  assert.match(reply.json().detail, /not active/);
  const [delivery] = (await desk.get("GET", `/v1/webhooks/${webhook.id}/deliveries`)).data;
  assert.equal(delivery?.status, "failed");
  await desk.get("PATCH", `/v1/webhooks/${webhook.id}`, { active: true });
  await desk.get("POST", `/v1/deliveries/${id}/redeliver`);
});
