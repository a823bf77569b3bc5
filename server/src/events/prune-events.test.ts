import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import { pruneEvents } from "./prune-events.ts";

const DAY_MS = 86_400_000;
const { db, drop } = await createTestDatabase();
after(drop);
const clock = createHandClock(new Date("2030-03-01T00:00:00Z"));
await db.rows(sql`
  insert into resellers (id, name, currency, email, price_list, created_at)
  values ('rsl_1', 'One', 'USD', 'owner@one.example', 'standard', now())`);
await db.rows(sql`
  insert into webhook_endpoints (id, reseller_id, environment, url, created_at, updated_at)
  values ('whk_1', 'rsl_1', 'live', 'https://hooks.example.com/', now(), now())`);
beforeEach(() => db.rows(sql`truncate events, deliveries, delivery_attempts`));

test("events are removed after 30 days with their deliveries; events with pending deliveries stay", async () => {
  await addEvents("old", 1, 30 * DAY_MS + 1, "failed");
  await addEvents("sent", 1, 40 * DAY_MS, "delivered");
  await addEvents("waiting", 1, 40 * DAY_MS, "pending");
  await addEvents("young", 1, 30 * DAY_MS, "delivered");
  await db.rows(sql`
    insert into events (id, reseller_id, environment, type, body, created_at)
    values ('evt_alone', 'rsl_1', 'live', 'webhook.test', '{}', ${new Date(clock.now().getTime() - 31 * DAY_MS)})`);
  assert.equal(await pruneEvents({ db, clock }), false);
  assert.deepEqual(await ids("events"), ["evt_waiting_1", "evt_young_1"]);
  assert.deepEqual(await ids("deliveries"), ["dlv_waiting_1", "dlv_young_1"]);
});

test("many events are removed in batches, past those with pending deliveries", async () => {
  await addEvents("waiting", 600, 41 * DAY_MS, "pending");
  await addEvents("old", 700, 40 * DAY_MS, "delivered");
  assert.equal(await pruneEvents({ db, clock }), false);
  assert.equal((await ids("events")).length, 600);
});

test("two workers at once do not block each other", async () => {
  await addEvents("waiting", 600, 41 * DAY_MS, "pending");
  await addEvents("old", 1_300, 40 * DAY_MS, "delivered");
  await Promise.all([pruneEvents({ db, clock }), pruneEvents({ db, clock })]);
  await pruneEvents({ db, clock });
  assert.equal((await ids("events")).length, 600);
  assert.equal((await ids("deliveries")).length, 600);
});

const addEvents = async (name: string, count: number, ageMs: number, status: string) => {
  const at = new Date(clock.now().getTime() - ageMs);
  await db.rows(sql`
    with event as (
      insert into events (id, reseller_id, environment, type, body, created_at)
      select 'evt_' || ${name}::text || '_' || n, 'rsl_1', 'live', 'webhook.test', '{}', ${at}
      from generate_series(1, ${count}) n
      returning id
    ), delivery as (
      insert into deliveries (id, event_id, endpoint_id, status, next_attempt_at, delivered_at, created_at)
      select 'dlv_' || substr(id, 5), id, 'whk_1', ${status}, case when ${status} = 'pending' then ${at}::timestamptz end,
             case when ${status} = 'delivered' then ${at}::timestamptz end, ${at}
      from event
      returning id
    )
    insert into delivery_attempts (delivery_id, number, at, response_status, latency_ms)
    select id, 1, ${at}, 500, 1 from delivery`);
};

const ids = async (table: "events" | "deliveries"): Promise<string[]> => {
  const rows = await db.rows<{ id: string }>(
    table === "events" ? sql`select id from events order by id` : sql`select id from deliveries order by id`,
  );
  return rows.map((row) => row.id);
};
