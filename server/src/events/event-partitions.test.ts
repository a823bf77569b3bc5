import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { addOrder } from "../../testing/builders/builders.ts";
import { addEndpoint, addTenant } from "../../testing/builders/delivery.ts";
import { addDelivery, fulfilledEvent } from "../../testing/builders/webhook-builders.ts";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { createIds, firstIdAt } from "../lib/ids.ts";
import { emitEvents, type NewEvent } from "./emit-events.ts";
import { EVENT_PARTITIONS, keepEventPartitions } from "./event-partitions.ts";

const DAY_MS = 86_400_000;
const PART_DAYS = EVENT_PARTITIONS.days;
const PART_MS = PART_DAYS * DAY_MS;
/** The start of a partition, so long ago that its events are to be dropped. */
const PAST = Math.floor(Date.now() / PART_MS - 5) * PART_MS;
const nameAt = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10).replaceAll("-", "");

const { db, drop } = await createTestDatabase();
after(drop);
// As it is when the first partitions are gone.
await db.rows(raw("drop table events_first, deliveries_first"));
const tenant = await addTenant(db);
const endpoint = await addEndpoint(db, tenant);

const at = (day: number): Date => new Date(PAST + day * DAY_MS);
const keep = (day: number) => keepEventPartitions(db, at(day));
const emitAt = (day: number, event: NewEvent): Promise<string[]> =>
  db.transaction((tx) => emitEvents(tx, [event], createIds({ now: () => at(day) }), at(day)));
const fulfilled = (orderId: string): NewEvent => fulfilledEvent(tenant, orderId);
const tested = (cause: string): NewEvent => ({
  ...tenant,
  type: "webhook.test",
  subject: { kind: "webhook", id: endpoint.id },
  cause,
  data: { webhook_id: endpoint.id },
});
const placedAt = async (day: number): Promise<string> => {
  const id = createIds({ now: () => at(day) })("ord");
  await addOrder(db, { ...tenant, id, at: at(day) });
  return id;
};
const tablesOf = async (orderId: string): Promise<string[]> => {
  const [row] = await db.rows<{ event: string; delivery: string }>(sql`
    select e.tableoid::regclass::text as event, d.tableoid::regclass::text as delivery
    from events e join deliveries d on d.event_id = e.id where e.order_id = ${orderId}`);
  return Object.values(row ?? {});
};

test("an event and its deliveries are in partitions of one time, where a cause is unique", async () => {
  await keep(0);
  await keep(PART_DAYS);
  const orderId = await placedAt(PART_DAYS + 1);
  await emitAt(PART_DAYS + 6, fulfilled(orderId));
  const part = nameAt(PAST + PART_MS);
  assert.deepEqual(await tablesOf(orderId), [`events_${part}`, `deliveries_${part}`]);
  await assert.rejects(emitAt(PART_DAYS + 7, fulfilled(orderId)), new RegExp(`events_${part}_once"`));
  await emitAt(PART_DAYS + 6, tested("in one"));
  await assert.rejects(
    emitAt(PART_DAYS + 7, tested("in one")),
    new RegExp(`events_${part}_once_per_subject"`),
  );
});

test("a cause is unique over all partitions", async () => {
  const orderId = await placedAt(PART_DAYS - 1);
  await emitAt(PART_DAYS - 1, fulfilled(orderId));
  await assert.rejects(emitAt(PART_DAYS + 1, fulfilled(orderId)), /in another partition/);
  await emitAt(PART_DAYS + 1, { ...fulfilled(orderId), type: "order.refunded", cause: "ent_1" } as NewEvent);
  await emitAt(PART_DAYS - 1, tested("in two"));
  await assert.rejects(emitAt(PART_DAYS + 1, tested("in two")), /in another partition/);
  await emitAt(PART_DAYS + 1, { ...tested("in two"), environment: "test" });
});

test("a clock that is behind cannot write an event a second time", async () => {
  const orderId = await placedAt(PART_DAYS + 0.01);
  await emitAt(PART_DAYS - 0.001, fulfilled(orderId));
  await assert.rejects(emitAt(PART_DAYS + 0.02, fulfilled(orderId)), /in another partition/);
});

test("events that found no partition get theirs later", async () => {
  const orderId = await placedAt(2 * PART_DAYS + 1);
  await emitAt(2 * PART_DAYS + 1, fulfilled(orderId));
  assert.deepEqual(await tablesOf(orderId), ["events_default", "deliveries_default"]);
  await keep(3 * PART_DAYS + 2);
  const part = nameAt(PAST + 2 * PART_MS);
  assert.deepEqual(await tablesOf(orderId), [`events_${part}`, `deliveries_${part}`]);
  await assert.rejects(emitAt(2 * PART_DAYS + 2, fulfilled(orderId)), /_once"/);
});

test("a delivery without an event is refused", async () => {
  const eventId = firstIdAt("evt", PAST);
  await assert.rejects(addDelivery(db, { eventId, endpointId: endpoint.id }), /without an event/);
});

test("a partition is dropped once it is old, unless a delivery of it is pending", async () => {
  const [first, second] = [nameAt(PAST), nameAt(PAST + PART_MS)];
  const tables = async () => {
    const rows = await db.rows<{ name: string }>(sql`
      select relname as name from pg_class where relname = any(${[first, second].flatMap((part) => [`events_${part}`, `deliveries_${part}`])})
      order by 1`);
    return rows.map(({ name }) => name);
  };
  const all = await tables();
  assert.equal(all.length, 4);
  await keep(PART_DAYS + 31);
  assert.deepEqual(await tables(), all);
  await db.rows(sql`
    update deliveries set status = 'failed', next_attempt_at = null where id < ${firstIdAt("dlv", PAST + PART_MS)}`);
  await keep(PART_DAYS + 30);
  assert.deepEqual(await tables(), all);
  await keep(PART_DAYS + 31);
  assert.deepEqual(await tables(), [`deliveries_${second}`, `events_${second}`]);
  await keep(2 * PART_DAYS + 31);
  assert.deepEqual(await tables(), [`deliveries_${second}`, `events_${second}`]);
});
