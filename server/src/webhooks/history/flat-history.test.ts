import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { explain } from "../../../testing/database/explain.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { sizeFor } from "../../../testing/full-size.ts";
import { keepEventPartitions } from "../../events/event-partitions.ts";
import { type EventSelection, findEvent, listEventRows } from "../../events/event-queries.ts";
import type { Tenant } from "../../http/caller.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { findEndpoint, listEndpointRows } from "../endpoints/endpoint-queries.ts";
import {
  type DeliverySelection,
  findDelivery,
  listDeliveryRows,
  restartDelivery,
} from "./history-queries.ts";
import { recoverDeliveries } from "./recover-queries.ts";

const DAYS = 100;
const EVENTS_PER_DAY = sizeFor("soak", { share: 250, full: 1_000 });
const EVENTS = DAYS * EVENTS_PER_DAY;
/** Refunds are all older than the last fifty days. */
const REFUNDED_BEFORE = EVENTS / 2;
const BUFFERS_MAX = sizeFor("soak", { share: 1_000, full: 2_000 });

const KNOWN_ORDER = `ord_${EVENTS * 0.4}`;

const busy: Tenant = { resellerId: "rsl_busy", environment: "live" };
/** Had events on the first day and none since. */
const idle: Tenant = { resellerId: "rsl_idle", environment: "live" };
const HOOKS = { busy: "whk_busy", idle: "whk_idle", fresh: "whk_fresh" };
let database: TestDatabase;

before(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await db.rows(sql`
    insert into resellers (id, name, currency, email)
    select id, 'Reseller', 'USD', 'owner@reseller.example' from unnest(${["rsl_busy", "rsl_idle"]}::text[]) id`);
  await db.rows(sql`
    insert into webhook_endpoints (id, reseller_id, environment, url, created_at, updated_at)
    select id, case id when 'whk_idle' then 'rsl_idle' else 'rsl_busy' end, 'live', 'https://hooks.example.com/', now(), now()
    from unnest(${Object.values(HOOKS)}::text[]) id`);
  // Four partitions with rows, and empty ones around them.
  for (let day = 0; day < DAYS; day += 7) await keepEventPartitions(db, new Date(Date.UTC(2030, 0, 1 + day)));
  await fillEvents();
  await fillDeliveries();
  await db.rows(sql`analyze events, deliveries, delivery_attempts, webhook_endpoints`);
  // A connection plans these once, for which it reads many pages of the catalog.
  await listEventRows(db, busy, { beforeId: undefined, limit: 1 });
  await listDeliveryRows(db, HOOKS.busy, { beforeId: undefined, limit: 1 });
});

after(() => database.drop());

const firstIds = Array.from({ length: DAYS }, (_, day) => firstIdAt("evt", Date.UTC(2030, 0, 1 + day)));
const firstIdOf = (day: number): string => firstIds[day] ?? "";
const deliveryIdOf = (day: number): string => firstIdOf(day).replace("evt_", "dlv_");

const fillEvents = () =>
  database.db.rows(sql`
    insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at)
    select left((${firstIds}::text[])[1 + (n - 1) / ${EVENTS_PER_DAY}], 14) || lpad(n::text, 16, '0'),
           case when n <= ${EVENTS_PER_DAY} then ${idle.resellerId} else ${busy.resellerId} end, 'live',
           case when n <= ${REFUNDED_BEFORE} and n % 2 = 0 then 'order.refunded' else 'order.fulfilled' end,
           repeat('x', 200), 'ord_' || n / 2, 'cause-' || n, timestamptz '2030-01-01Z' + n * interval '1 second'
    from generate_series(1, ${EVENTS}::integer) n`);

/** The busy reseller's second endpoint has none. Failures are rare and old, and nothing waits. */
async function fillDeliveries(): Promise<void> {
  await database.db.rows(sql`
    insert into deliveries (id, event_id, endpoint_id, status, attempts, created_at, delivered_at)
    select delivery_id(id, case reseller_id when 'rsl_idle' then 'whk_idle' else 'whk_busy' end), id,
           case reseller_id when 'rsl_idle' then 'whk_idle' else 'whk_busy' end,
           case when id like '%0001' and type = 'order.fulfilled' then 'failed' else 'delivered' end, 1, created_at, created_at
    from events`);
  await database.db.rows(sql`
    insert into delivery_attempts (delivery_id, number, at, response_status, latency_ms, response_body)
    select id, 1, created_at, 200, 5, repeat('y', 200) from deliveries`);
}

/**
 * What costs much is read again: a connection that lags behind the changes of other databases forgets its plans, and reads
 * many pages of the catalog to make them anew.
 */
async function assertFlat(what: string, read: Parameters<typeof explain>[1]): Promise<void> {
  const first = await explain(database.db, read);
  const { buffers, scanned, plan } = first.buffers < BUFFERS_MAX ? first : await explain(database.db, read);
  assert.deepEqual(
    scanned.filter((table) => table !== "webhook_endpoints"),
    [],
    `${what}${plan}`,
  );
  assert.ok(buffers < BUFFERS_MAX, `${what}: ${buffers} buffers${plan}`);
}

const FILTERS: Record<string, Omit<EventSelection, "beforeId" | "limit">> = {
  "no filter": {},
  "type, the commonest": { type: "order.fulfilled" },
  "type, far away": { type: "order.refunded" },
  "type, of no event": { type: "webhook.test" },
  orderId: { orderId: KNOWN_ORDER },
  "orderId of no event": { orderId: "ord_none" },
  "orderId and type": { orderId: KNOWN_ORDER, type: "order.refunded" },
  "createdFrom and createdTo, long ago": { fromId: firstIdOf(10), toId: firstIdOf(12) },
  "createdTo, long ago": { toId: firstIdOf(2) },
  "type and a time when it was not": { type: "order.refunded", fromId: firstIdOf(60), toId: firstIdOf(90) },
};

for (const [what, filters] of Object.entries(FILTERS)) {
  test(`GET /v1/events by ${what} touches few pages of ${EVENTS} events`, async () => {
    for (const tenant of [busy, idle]) {
      for (const beforeId of [undefined, firstIdOf(50)]) {
        const selection = { ...filters, beforeId, limit: 100 };
        await assertFlat(tenant.resellerId, (db) => listEventRows(db, tenant, selection));
      }
    }
  });
}

for (const status of [undefined, "delivered", "failed", "pending"] as const) {
  test(`GET /v1/webhooks/{id}/deliveries with status ${status} touches few pages of ${EVENTS} deliveries`, async () => {
    for (const endpointId of Object.values(HOOKS)) {
      for (const beforeId of [undefined, deliveryIdOf(50)]) {
        const selection: DeliverySelection = { status, beforeId, limit: 100 };
        await assertFlat(endpointId, (db) => listDeliveryRows(db, endpointId, selection));
      }
    }
  });
}

test("one event, one delivery, one endpoint and a redelivery are found by their ids", async () => {
  const [row] = await database.db.rows<{ id: string; deliveryId: string }>(
    sql`select event_id as id, id as "deliveryId" from deliveries order by id offset 500 limit 1`,
  );
  const { id, deliveryId } = row ?? { id: "", deliveryId: "" };
  await assertFlat("event", (db) => findEvent(db, idle, id));
  await assertFlat("delivery", (db) => findDelivery(db, idle, deliveryId));
  await assertFlat("redelivery", (db) => restartDelivery(db, idle, deliveryId, new Date()));
  await assertFlat("endpoint", (db) => findEndpoint(db, busy, HOOKS.busy));
  await assertFlat("endpoints", (db) => listEndpointRows(db, busy, { beforeId: undefined, limit: 51 }));
});

test("a recovery of a short time costs what that time holds", async () => {
  const now = new Date();
  const untilNumber = String(40 * EVENTS_PER_DAY + 100).padStart(16, "0");
  const span = { fromId: firstIdOf(40), toId: `${firstIdOf(40).slice(0, 14)}${untilNumber}` };
  for (const endpointId of [HOOKS.busy, HOOKS.fresh]) {
    const { buffers, scanned, plan } = await explain(database.db, (db) =>
      recoverDeliveries(db, busy, { endpointId, ...span, now }),
    );
    assert.deepEqual(
      scanned.filter((table) => table !== "webhook_endpoints"),
      [],
      plan,
    );
    assert.ok(buffers < 10 * BUFFERS_MAX, `${endpointId}: ${buffers} buffers${plan}`);
  }
  const [row] = await database.db.rows<{ count: number }>(
    sql`select count(*)::integer as count from deliveries where endpoint_id = ${HOOKS.fresh}`,
  );
  assert.equal(row?.count, 99);
});
