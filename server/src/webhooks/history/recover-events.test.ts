import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addDelivery, addEvent } from "../../../testing/builders/webhook-builders.ts";
import { type KeyOwner, openWebhookDesk, type WebhookDesk } from "../../../testing/builders/webhook-desk.ts";
import { countWaiting } from "../../../testing/database/count-waiting.ts";
import { eventually } from "../../../testing/eventually.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { lockRecoveries, RECOVERED_MAX } from "./recover-queries.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let desk: WebhookDesk;
/** Everything below happens from this moment on, a minute apart. */
let start: Date;

before(async () => {
  desk = await openWebhookDesk();
  start = desk.clock.now();
});
after(() => desk.scrip.close());

const at = (minutes: number): Date => new Date(start.getTime() + minutes * MINUTE_MS);

/** An owner with an endpoint and an event at each minute from 0 to 5, before the clock is an hour on. */
async function openPast(events?: string[]) {
  const owner = await desk.addOwner();
  const { db } = desk.scrip;
  const eventIds: string[] = [];
  for (let minute = 0; minute <= 5; minute += 1) {
    const type = minute % 2 === 0 ? "order.fulfilled" : "order.refunded";
    // The time inside the id decides, and a test may ask for a time that has passed.
    const id = idAt(minute);
    eventIds.push(await addEvent(db, { ...owner, id, type, at: at(minute) }));
  }
  const body = { url: "https://hooks.example.com/", ...(events ? { events } : {}) };
  const { webhook } = await desk.register(body, owner);
  return { owner, eventIds, endpointId: webhook.id };
}

let made = 0;
function idAt(minutes: number): string {
  made += 1;
  return firstIdAt("evt", at(minutes).getTime()).slice(0, -6) + String(made).padStart(6, "0");
}

const recover = (endpointId: string, owner: KeyOwner, body: object) =>
  desk.get("POST", `/v1/webhooks/${endpointId}/recover`, body, owner);

/** The events that have a delivery waiting at the endpoint, in the order of their ids. */
const waitingAt = async (endpointId: string): Promise<string[]> =>
  (
    await desk.scrip.db.rows<{ eventId: string }>(sql`
      select event_id as "eventId" from deliveries
      where endpoint_id = ${endpointId} and status = 'pending' and step = 0 and next_attempt_at = ${desk.clock.now()}
      order by event_id`)
  ).map(({ eventId }) => eventId);

test("events of the span that were never delivered get a delivery, and the workers are notified", async () => {
  const { owner, eventIds, endpointId } = await openPast();
  const span = { since: at(1).toISOString(), until: at(4).toISOString() };
  assert.deepEqual(await desk.tells(() => recover(endpointId, owner, span)), {
    recovered: 3,
    hasMore: false,
  });
  assert.deepEqual(await waitingAt(endpointId), eventIds.slice(1, 4), "from since, before until");
  assert.deepEqual(await recover(endpointId, owner, span), { recovered: 0, hasMore: false });
  const rest = await recover(endpointId, owner, { since: at(0).toISOString() });
  assert.deepEqual([rest.recovered, await waitingAt(endpointId)], [3, eventIds]);
});

test("failed deliveries restart; pending and delivered ones stay as they are", async () => {
  const { owner, eventIds, endpointId } = await openPast();
  const { db } = desk.scrip;
  const [waiting = "", arrived = "", failed = ""] = eventIds;
  await addDelivery(db, { eventId: waiting, endpointId, status: "pending" });
  await addDelivery(db, { eventId: arrived, endpointId, status: "delivered" });
  await addDelivery(db, { eventId: failed, endpointId, status: "failed" });
  await db.rows(sql`update deliveries set step = 5, attempts = 5 where endpoint_id = ${endpointId}`);
  assert.equal((await recover(endpointId, owner, { since: at(0).toISOString() })).recovered, 4);
  assert.deepEqual(await waitingAt(endpointId), eventIds.slice(2));
  const rows = await db.rows(sql`
    select event_id as "eventId", status, step, attempts from deliveries
    where endpoint_id = ${endpointId} and attempts > 0 order by event_id`);
  assert.deepEqual(rows, [
    { eventId: waiting, status: "pending", step: 5, attempts: 5 },
    { eventId: arrived, status: "delivered", step: 5, attempts: 5 },
    { eventId: failed, status: "pending", step: 0, attempts: 5 },
  ]);
});

test("only types that the endpoint is subscribed to now are recovered, and no tests", async () => {
  const { owner, eventIds, endpointId } = await openPast(["order.refunded", "webhook.test"]);
  const { webhook: tested } = await desk.register(undefined, owner);
  await desk.get("POST", `/v1/webhooks/${tested.id}/test`, undefined, owner);
  assert.equal((await recover(endpointId, owner, { since: at(0).toISOString() })).recovered, 3);
  assert.deepEqual(
    await waitingAt(endpointId),
    eventIds.filter((_, index) => index % 2 === 1),
  );
  await desk.get("PATCH", `/v1/webhooks/${endpointId}`, { events: ["order.fulfilled"] }, owner);
  assert.equal((await recover(endpointId, owner, { since: at(0).toISOString() })).recovered, 3);
  assert.deepEqual(await waitingAt(endpointId), eventIds);
});

test("another reseller's events, the other environment's and another endpoint's deliveries are left alone", async () => {
  const { owner, eventIds, endpointId } = await openPast();
  const { db } = desk.scrip;
  const { webhook: other } = await desk.register(undefined, owner);
  for (const eventId of eventIds) await addDelivery(db, { eventId, endpointId: other.id, status: "failed" });
  await addEvent(db, { ...owner, environment: "test", id: idAt(2) });
  await addEvent(db, { ...desk.stranger, id: idAt(2) });
  assert.equal((await recover(endpointId, owner, { since: at(0).toISOString() })).recovered, 6);
  assert.deepEqual(await waitingAt(endpointId), eventIds);
  assert.deepEqual(await waitingAt(other.id), []);
});

test("six recoveries at once recover each event once", async () => {
  const { owner, endpointId } = await openPast();
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => recover(endpointId, owner, { since: at(0).toISOString() })),
  );
  assert.equal(
    replies.reduce((sum, { recovered }) => sum + recovered, 0),
    6,
  );
});

test("a recovery waits for another one of the same endpoint, so that no two insert the same delivery", async () => {
  const { owner, endpointId } = await openPast();
  const { db } = desk.scrip;
  const { recovering } = await db.transaction(async (tx) => {
    await lockRecoveries(tx, endpointId);
    const begun = recover(endpointId, owner, { since: at(0).toISOString() });
    await eventually("it waits", async () => (await countWaiting(db)) || undefined);
    return { recovering: begun };
  });
  assert.equal((await recovering).recovered, 6);
});

test("a delivery that another transaction is writing stays as that one leaves it", async () => {
  const { owner, eventIds, endpointId } = await openPast();
  const { db } = desk.scrip;
  const [eventId = ""] = eventIds;
  const { recovering } = await db.transaction(async (tx) => {
    await addDelivery(tx, { eventId, endpointId });
    await tx.rows(sql`update deliveries set step = 3 where endpoint_id = ${endpointId}`);
    const begun = recover(endpointId, owner, { since: at(0).toISOString() });
    await eventually("it waits for them", async () => (await countWaiting(db)) || undefined);
    return { recovering: begun };
  });
  assert.equal((await recovering).recovered, 5);
  const [row] = await db.rows(
    sql`select step, status from deliveries where endpoint_id = ${endpointId} and event_id = ${eventId}`,
  );
  assert.deepEqual(row, { step: 3, status: "pending" });
});

test("times that are invalid, too long ago, in the future or in the wrong order are 400 at their field", async () => {
  const { owner, endpointId } = await openPast();
  const now = desk.clock.now().getTime();
  const since = new Date(now - DAY_MS).toISOString();
  const refused: [body: object, pointer: string][] = [
    [{}, "/since"],
    [{ since: "yesterday" }, "/since"],
    [{ since: "2030-02-31T00:00:00Z" }, "/since"],
    [{ since: "2030-01-31" }, "/since"],
    [{ since: 1_700_000_000 }, "/since"],
    [{ since: new Date(now - 31 * DAY_MS).toISOString() }, "/since"],
    [{ since: new Date(now + 2 * MINUTE_MS).toISOString() }, "/since"],
    [{ since, until: "now" }, "/until"],
    [{ since, until: null }, "/until"],
    [{ since, until: since }, "/until"],
    [{ since, until: new Date(now - 2 * DAY_MS).toISOString() }, "/until"],
    [{ since, to: since }, "/to"],
  ];
  for (const [body, pointer] of refused) {
    const reply = await desk.ask("POST", `/v1/webhooks/${endpointId}/recover`, body, owner);
    assert.equal(reply.statusCode, 400, JSON.stringify(body));
    const { code, errors } = reply.json();
    assert.deepEqual([code, errors[0].pointer], ["invalid_request", pointer], JSON.stringify(body));
  }
  await recover(endpointId, owner, { since: new Date(now - 30 * DAY_MS).toISOString() });
  await recover(endpointId, owner, { since, until: new Date(now + DAY_MS).toISOString() });
});

test("an endpoint that is not active recovers nothing: 409; enabled again it recovers what it missed", async () => {
  const { owner, eventIds, endpointId } = await openPast();
  const since = at(0).toISOString();
  await desk.get("PATCH", `/v1/webhooks/${endpointId}`, { active: false }, owner);
  const reply = await desk.ask("POST", `/v1/webhooks/${endpointId}/recover`, { since }, owner);
  assert.deepEqual([reply.statusCode, reply.json().code], [409, "webhook_inactive"]);
  assert.match(reply.json().detail, /not active/);
  assert.deepEqual(await waitingAt(endpointId), []);
  await desk.get("PATCH", `/v1/webhooks/${endpointId}`, { active: true }, owner);
  assert.equal((await recover(endpointId, owner, { since })).recovered, 6);
  assert.deepEqual(await waitingAt(endpointId), eventIds);
});

test("one call recovers the oldest of many and says that there is more", async () => {
  const { owner, endpointId } = await openPast();
  await desk.scrip.db.rows(sql`
    insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at)
    select left(${idAt(10)}, 14) || lpad(n::text, 16, '0'), ${owner.resellerId}, 'live', 'order.fulfilled', '{}',
           'ord_many_' || n, 'fulfilled', ${at(10)}
    from generate_series(1, ${RECOVERED_MAX}::integer) n`);
  const span = { since: at(0).toISOString() };
  assert.deepEqual(await recover(endpointId, owner, span), { recovered: RECOVERED_MAX, hasMore: true });
  assert.deepEqual(await recover(endpointId, owner, span), { recovered: 6, hasMore: false });
});
