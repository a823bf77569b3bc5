import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addDelivery, addEvent } from "../../../testing/builders/webhook-builders.ts";
import { openWebhookDesk, type WebhookDesk } from "../../../testing/builders/webhook-desk.ts";
import { DEFAULT_TYPES, EVENT_TYPES } from "../../events/event-types.ts";

const URL = "https://hooks.example.com/";

let desk: WebhookDesk;

before(async () => {
  desk = await openWebhookDesk();
});
after(() => desk.scrip.close());

test("PATCH changes the given fields, and a change without effect leaves updatedAt", async () => {
  const { webhook } = await desk.register({ url: URL });
  const change = async (body: object) =>
    (await desk.get("PATCH", `/v1/webhooks/${webhook.id}`, body)).webhook;
  desk.clock.advance(1_000);
  for (const nothing of [{}, { url: URL }, { active: true }])
    assert.deepEqual(await change(nothing), webhook);
  const expected = { ...webhook, updatedAt: desk.clock.now().toISOString() };
  assert.deepEqual(await change({ events: ["order.fulfilled"] }), {
    ...expected,
    events: ["order.fulfilled"],
  });
  assert.deepEqual((await change({ active: false })).active, false);
  const last = await change({ url: `${URL}new`, active: true });
  assert.deepEqual(last, { ...expected, url: `${URL}new`, events: ["order.fulfilled"] });
  assert.deepEqual((await desk.get("GET", `/v1/webhooks/${webhook.id}`)).webhook, last);
});

test("a subscription to all types that is spelled out is a change: it gets no future ones", async () => {
  const { webhook } = await desk.register({ url: URL });
  await desk.get("PATCH", `/v1/webhooks/${webhook.id}`, { events: [...EVENT_TYPES] });
  const [row] = await desk.scrip.db.rows<{ events: unknown }>(
    sql`select events from webhook_endpoints where id = ${webhook.id}`,
  );
  assert.deepEqual(row?.events, [...EVENT_TYPES]);
});

test("PATCH with events null goes back to all types, including future ones", async () => {
  const { webhook } = await desk.register({ url: URL, events: ["order.fulfilled"] });
  const changed = await desk.get("PATCH", `/v1/webhooks/${webhook.id}`, { events: null });
  assert.deepEqual(changed.webhook.events, [...DEFAULT_TYPES]);
  const [row] = await desk.scrip.db.rows<{ events: unknown }>(
    sql`select events from webhook_endpoints where id = ${webhook.id}`,
  );
  assert.equal(row?.events, null);
  const again = await desk.get("PATCH", `/v1/webhooks/${webhook.id}`, { events: null, active: true });
  assert.deepEqual(again.webhook, changed.webhook);
});

test("PATCH refuses null for other fields, unknown fields and types, and bad URLs, and then changes nothing", async () => {
  const { webhook } = await desk.register();
  const refused: [object, number][] = [
    [{ active: null }, 400],
    [{ events: [] }, 400],
    [{ events: [null] }, 400],
    [{ events: "order.fulfilled" }, 400],
    [{ events: ["order.lost"], active: false }, 400],
    [{ url: null }, 400],
    [{ active: "no" }, 400],
    [{ id: "whk_other" }, 400],
    [{ createdAt: webhook.createdAt, active: false }, 400],
    [{ url: "http://hooks.example.com/", active: false }, 422],
    [{ url: "https://10.0.0.1/", active: false }, 422],
  ];
  for (const [body, status] of refused) {
    const reply = await desk.ask("PATCH", `/v1/webhooks/${webhook.id}`, body);
    assert.equal(reply.statusCode, status, JSON.stringify(body));
    assert.equal(reply.json().code, status === 400 ? "invalid_request" : "webhook_url_not_allowed");
  }
  assert.deepEqual((await desk.get("GET", `/v1/webhooks/${webhook.id}`)).webhook, webhook);
});

async function markFailing(id: string, active: boolean): Promise<void> {
  await desk.scrip.db.rows(sql`
    update webhook_endpoints set failing_since = ${desk.clock.now()}, failures = 12, notified = '72h', active = ${active}
    where id = ${id}`);
}

const failingState = (id: string) =>
  desk.scrip.db.rows(sql`
    select failing_since is not null as failing, failures, notified from webhook_endpoints where id = ${id}`);

test("re-enabling and a new URL clear the record of failure; other changes do not", async () => {
  const { webhook } = await desk.register();
  const path = `/v1/webhooks/${webhook.id}`;
  const failing = [{ failing: true, failures: 12, notified: "72h" }];
  const fine = [{ failing: false, failures: 0, notified: "nothing" }];
  await markFailing(webhook.id, true);
  const since = desk.clock.now().toISOString();
  assert.equal((await desk.get("GET", path)).webhook.failingSince, since);
  for (const body of [{ active: true }, { events: ["order.refunded"] }, { active: false }]) {
    assert.equal((await desk.get("PATCH", path, body)).webhook.failingSince, since);
    assert.deepEqual(await failingState(webhook.id), failing, JSON.stringify(body));
  }
  assert.equal("failingSince" in (await desk.get("PATCH", path, { active: true })).webhook, false);
  assert.deepEqual(await failingState(webhook.id), fine);
  await markFailing(webhook.id, true);
  assert.equal("failingSince" in (await desk.get("PATCH", path, { url: `${URL}other` })).webhook, false);
  assert.deepEqual(await failingState(webhook.id), fine);
});

test("switching an endpoint off ends its waiting deliveries, and switching it on restarts none", async () => {
  const { webhook } = await desk.register();
  const { db } = desk.scrip;
  for (const status of ["pending", "delivered", "failed"] as const)
    await addDelivery(db, { eventId: await addEvent(db, desk.live), endpointId: webhook.id, status });
  const statuses = async () =>
    (await desk.get("GET", `/v1/webhooks/${webhook.id}/deliveries`)).data.map(({ status }) => status);
  await desk.get("PATCH", `/v1/webhooks/${webhook.id}`, { url: `${URL}new` });
  assert.deepEqual(await statuses(), ["failed", "delivered", "pending"]);
  await desk.get("PATCH", `/v1/webhooks/${webhook.id}`, { active: false });
  assert.deepEqual(await statuses(), ["failed", "delivered", "failed"]);
  await desk.get("PATCH", `/v1/webhooks/${webhook.id}`, { active: true });
  assert.deepEqual(await statuses(), ["failed", "delivered", "failed"]);
});
