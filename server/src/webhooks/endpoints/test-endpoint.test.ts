import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { openWebhookDesk, type WebhookDesk } from "../../../testing/builders/webhook-desk.ts";

let desk: WebhookDesk;

before(async () => {
  desk = await openWebhookDesk();
});
after(() => desk.scrip.close());

const deliveriesOf = async (id: string) => (await desk.get("GET", `/v1/webhooks/${id}/deliveries`)).data;

test("a test is a new event, delivered only to the endpoint that was tested", async () => {
  const { webhook } = await desk.register({ url: "https://hooks.example.com/", events: ["order.refunded"] });
  const other = await desk.register();
  const { delivery } = await desk.tells(() => desk.get("POST", `/v1/webhooks/${webhook.id}/test`));
  const now = desk.clock.now().toISOString();
  assert.deepEqual(delivery, {
    id: delivery.id,
    eventId: delivery.eventId,
    eventType: "webhook.test",
    webhookId: webhook.id,
    status: "pending",
    attemptCount: 0,
    attempts: [],
    nextAttemptAt: now,
    createdAt: now,
  });
  assert.deepEqual(await deliveriesOf(webhook.id), [delivery]);
  assert.deepEqual(await deliveriesOf(other.webhook.id), []);
  const { event } = await desk.get("GET", `/v1/events/${delivery.eventId}`);
  const { created_at, ...rest } = event;
  assert.deepEqual(rest, { id: delivery.eventId, type: "webhook.test", data: { webhook_id: webhook.id } });
  assert.match(created_at, /^\d{4}-.*\.\d{3}Z$/);
});

test("each test is a new event, and an empty object is accepted like no body", async () => {
  const { webhook } = await desk.register();
  const path = `/v1/webhooks/${webhook.id}/test`;
  const first = await desk.get("POST", path, {});
  const second = await desk.get("POST", path);
  assert.notEqual(first.delivery.eventId, second.delivery.eventId);
  assert.equal((await deliveriesOf(webhook.id)).length, 2);
  const reply = await desk.ask("POST", path, { type: "order.fulfilled" });
  assert.deepEqual([reply.statusCode, reply.json().errors[0].pointer], [400, "/type"]);
});

test("an endpoint is sent ten tests a minute, by however many processes, and then 429 until the oldest is a minute old", async () => {
  const { webhook } = await desk.register();
  const other = await desk.register();
  const send = (id = webhook.id) => desk.ask("POST", `/v1/webhooks/${id}/test`);
  const begun = await Promise.all(Array.from({ length: 8 }, () => send()));
  desk.clock.advance(20_000);
  const more = await Promise.all(Array.from({ length: 7 }, () => send()));
  const statuses = [...begun, ...more].map(({ statusCode }) => statusCode).sort();
  assert.deepEqual(statuses, [...Array(10).fill(200), ...Array(5).fill(429)]);
  const refused = await send();
  assert.deepEqual(
    [refused.statusCode, refused.json().code, refused.headers["retry-after"]],
    [429, "rate_limited", "40"],
  );
  assert.match(refused.json().detail, /10 test events within a minute/);
  assert.equal((await deliveriesOf(webhook.id)).length, 10);
  assert.equal((await send(other.webhook.id)).statusCode, 200);
  desk.clock.advance(40_000);
  const later = await Promise.all(Array.from({ length: 9 }, () => send()));
  assert.deepEqual(later.map(({ statusCode }) => statusCode).sort(), [...Array(8).fill(200), 429]);
});

test("a refused test makes no event, and the same URL can be registered more than once", async () => {
  const owner = await desk.addOwner();
  const { webhook } = await desk.register(undefined, owner);
  assert.equal((await desk.register(undefined, owner)).webhook.url, webhook.url);
  const path = `/v1/webhooks/${webhook.id}/test`;
  for (let sent = 0; sent < 12; sent += 1) await desk.ask("POST", path, undefined, owner);
  assert.equal((await desk.get("GET", "/v1/events", undefined, owner)).data.length, 10);
});

test("an endpoint that is not active is not tested: 409, and no event", async () => {
  const owner = await desk.addOwner();
  const { webhook } = await desk.register(undefined, owner);
  await desk.get("PATCH", `/v1/webhooks/${webhook.id}`, { active: false }, owner);
  const reply = await desk.ask("POST", `/v1/webhooks/${webhook.id}/test`, undefined, owner);
  assert.deepEqual([reply.statusCode, reply.json().code], [409, "webhook_inactive"]);
  assert.match(reply.json().detail, /not active/);
  assert.deepEqual((await desk.get("GET", "/v1/events", undefined, owner)).data, []);
  const events = await desk.scrip.db.rows(sql`select from events where reseller_id = ${owner.resellerId}`);
  assert.equal(events.length, 0);
});
