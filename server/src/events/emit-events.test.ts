import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addOrder } from "../../testing/builders/builders.ts";
import { addEndpoint, addTenant } from "../../testing/builders/delivery.ts";
import { newId } from "../../testing/builders/new-id.ts";
import { fulfilledEvent } from "../../testing/builders/webhook-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import type { Db } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { createIds, timeOfId } from "../lib/ids.ts";
import { emitEvents, type NewEvent } from "./emit-events.ts";
import { isSubscribed } from "./event-queries.ts";

let database: TestDatabase;
let db: Db;
let tenant: Tenant;
const NOW = new Date("2026-03-01T12:00:00.123Z");

before(async () => {
  database = await createTestDatabase();
  db = database.db;
});
after(() => database.drop());

const fulfilled = (orderId: string): NewEvent => fulfilledEvent(tenant, orderId);
const tested = (endpointId: string, cause: string): NewEvent => ({
  ...tenant,
  type: "webhook.test",
  subject: { kind: "webhook", id: endpointId },
  cause,
  data: { webhook_id: endpointId },
});
async function placed(): Promise<string> {
  const id = newId("ord");
  await addOrder(db, { ...tenant, id });
  return id;
}
const ids = createIds({ now: () => NOW });
const emit = (...events: NewEvent[]) => db.transaction((tx) => emitEvents(tx, events, ids, NOW));
const eventsOf = (orderId: string) =>
  db.rows<{ id: string; type: string; body: string; cause: string } & Tenant>(sql`
    select id, type, body, cause, reseller_id as "resellerId", environment from events where order_id = ${orderId} order by id`);
const receiversOf = async (orderId: string): Promise<string[]> => {
  const rows = await db.rows<{ id: string }>(sql`
    select d.endpoint_id as id from deliveries d join events e on e.id = d.event_id
    where e.order_id = ${orderId} and d.status = 'pending' and d.next_attempt_at = ${NOW} and d.attempts = 0`);
  return rows.map(({ id }) => id).sort();
};

test("an event belongs to the order's reseller and environment, and its body is the envelope of the specification", async () => {
  tenant = await addTenant(db);
  const orderId = await placed();
  await emit(fulfilled(orderId));
  const [event, ...others] = await eventsOf(orderId);
  assert.ok(event);
  assert.deepEqual(others, []);
  const { id, body, ...rest } = event;
  assert.deepEqual(rest, { ...tenant, type: "order.fulfilled", cause: "fulfilled" });
  assert.deepEqual(JSON.parse(body), {
    id,
    type: "order.fulfilled",
    created_at: new Date(timeOfId(id)).toISOString(),
    data: { order_id: orderId, status: "fulfilled", environment: "live" },
  });
});

test("each endpoint that is active and subscribed gets one delivery, and no other endpoint gets any", async () => {
  tenant = await addTenant(db);
  const stranger = await addTenant(db);
  const all = await addEndpoint(db, tenant);
  const chosen = await addEndpoint(db, tenant, { events: ["order.refunded", "order.fulfilled"] });
  await addEndpoint(db, tenant, { events: ["order.refunded"] });
  await addEndpoint(db, tenant, { active: false });
  await addEndpoint(db, tenant, { deleted: true });
  await addEndpoint(db, { ...tenant, environment: "test" });
  await addEndpoint(db, stranger);
  const orderId = await placed();
  await emit(fulfilled(orderId));
  assert.deepEqual(await receiversOf(orderId), [all.id, chosen.id].sort());
});

test("events of a sandbox order go to sandbox endpoints only", async () => {
  const live = await addTenant(db);
  tenant = { ...live, environment: "test" };
  await addEndpoint(db, live);
  const { id } = await addEndpoint(db, tenant);
  const orderId = await placed();
  await emit(fulfilled(orderId));
  assert.deepEqual(await receiversOf(orderId), [id]);
});

test("a transaction that is rolled back leaves no event", async () => {
  tenant = await addTenant(db);
  await addEndpoint(db, tenant);
  const orderId = await placed();
  const rolledBack = db.transaction(async (tx) => {
    await emitEvents(tx, [fulfilled(orderId)], ids, NOW);
    throw new Error("changed my mind");
  });
  await assert.rejects(rolledBack, /changed my mind/);
  assert.deepEqual([await eventsOf(orderId), await receiversOf(orderId)], [[], []]);
});

test("one cause has one event: a second one fails its transaction, and another cause is another event", async () => {
  tenant = await addTenant(db);
  const orderId = await placed();
  await emit(fulfilled(orderId));
  await assert.rejects(emit(fulfilled(orderId)), /events_first_once/);
  assert.equal((await eventsOf(orderId)).length, 1);
  const refund = { ...fulfilled(orderId), type: "order.refunded" } as NewEvent;
  await emit({ ...refund, cause: "ent_1" }, { ...refund, cause: "ent_2" });
  assert.deepEqual(
    (await eventsOf(orderId)).map(({ cause }) => cause),
    ["fulfilled", "ent_1", "ent_2"],
  );
});

test("events of many orders are written together, each with its own deliveries", async () => {
  tenant = await addTenant(db);
  const { id } = await addEndpoint(db, tenant);
  const orderIds = [await placed(), await placed(), await placed()];
  await emit(...orderIds.map((orderId) => fulfilled(orderId)));
  for (const orderId of orderIds) {
    assert.equal((await eventsOf(orderId)).length, 1);
    assert.deepEqual(await receiversOf(orderId), [id]);
  }
});

test("an event that was written is never changed", async () => {
  tenant = await addTenant(db);
  const orderId = await placed();
  await emit(fulfilled(orderId));
  await assert.rejects(db.rows(sql`update events set body = '{}' where order_id = ${orderId}`));
});

test("an event that is not about an order has one event for each cause too, in each environment", async () => {
  tenant = await addTenant(db);
  const { id } = await addEndpoint(db, tenant);
  await emit(tested(id, "first"), tested(id, "second"));
  await assert.rejects(emit(tested(id, "first")), /events_first_once_per_subject/);
  await emit({ ...tested(id, "first"), environment: "test" });
  const rows = await db.rows(sql`
    select cause, environment, order_id from events where subject_kind = 'webhook' and subject_id = ${id}
    order by environment, cause`);
  assert.deepEqual(rows, [
    { cause: "first", environment: "live", order_id: null },
    { cause: "second", environment: "live", order_id: null },
    { cause: "first", environment: "test", order_id: null },
  ]);
});

test("an event for its subject alone goes to that endpoint, subscribed or not, and to no other", async () => {
  tenant = await addTenant(db);
  await addEndpoint(db, tenant);
  const { id } = await addEndpoint(db, tenant, { events: ["order.refunded"] });
  const [eventId] = await emit(tested(id, "once"));
  const rows = await db.rows(sql`select endpoint_id from deliveries where event_id = ${eventId}`);
  assert.deepEqual(rows, [{ endpoint_id: id }]);
});

test("a process of the previous version can go on writing and delivering events", async () => {
  tenant = { ...(await addTenant(db)), environment: "test" };
  const insertAsBefore = (orderId: string, scenario: string | null) =>
    db.rows(sql`
      insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at, test_scenario)
      values (${newId("evt")}, ${tenant.resellerId}, 'test', 'order.fulfilled', '{}', ${orderId}, 'fulfilled', now(),
              ${scenario})`);
  const found = async (orderId: string) => {
    const [row] = await db.rows(sql`
      select test_scenario, send_twice, bad_signature from events where order_id = ${orderId}`);
    return Object.values(row ?? {});
  };
  for (const [scenario, sendTwice, badSignature] of [
    [null, false, false],
    ["webhook_duplicate", true, false],
    ["webhook_late", false, false],
    ["webhook_bad_signature", false, true],
  ] as const) {
    const old = await placed();
    await insertAsBefore(old, scenario);
    assert.deepEqual(await found(old), [scenario, sendTwice, badSignature]);
    await assert.rejects(emit(fulfilled(old)), /events_first_once/);
    const now = await placed();
    await emit({ ...fulfilled(now), wishes: { sendTwice, badSignature } });
    await assert.rejects(insertAsBefore(now, scenario), /events_first_once/);
    const known = scenario === "webhook_late" ? null : scenario;
    assert.deepEqual(await found(now), [known, sendTwice, badSignature]);
  }
});

test("an endpoint without a list gets the types that are sent by default, and one with a list gets those it names", async () => {
  const isSent = async (type: string, events: string[] | null): Promise<boolean | undefined> => {
    const [row] = await db.rows<{ sent: boolean }>(sql`
      select ${isSubscribed} as sent
      from (select ${type}::text as type) e cross join (select ${events}::text[] as events) w`);
    return row?.sent;
  };
  assert.equal(await isSent("order.fulfilled", null), true);
  assert.equal(await isSent("order.fulfilled", ["order.refunded"]), false);
  // A type that is not in the list of defaults, as a noisy one will be.
  assert.equal(await isSent("catalog.changed", null), false);
  assert.equal(await isSent("catalog.changed", ["catalog.changed"]), true);
});
