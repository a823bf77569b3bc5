import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { addDue, addEndpoint, addTenant, createTestDeps, outcome } from "../../testing/builders/delivery.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import { sizeFor } from "../../testing/full-size.ts";
import type { Db } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { systemClock } from "../lib/clock.ts";
import { DELIVERY_LIMITS } from "./delivery/limits.ts";
import type { Sending, SendOutcome } from "./delivery/send-delivery.ts";
import { type RunningWebhooks, runWebhooks } from "./run-webhooks.ts";
import { DELIVERIES_CHANNEL } from "./settings.ts";

let database: TestDatabase;
let db: Db;
let tenant: Tenant;
let running: RunningWebhooks | undefined;

before(async () => {
  database = await createTestDatabase();
  db = database.db;
  tenant = await addTenant(db);
});
after(() => database.drop());
beforeEach(async () => {
  await db.rows(
    sql`update deliveries set status = 'failed', next_attempt_at = null where status = 'pending'`,
  );
});
afterEach(() => running?.stop(0));

const WAITING = sizeFor("soak", { share: 5_000, full: 100_000 });
const DEAD = "https://dead.example/";
/** Deliveries to the dead that are under way, and the most there ever were. */
function createSender() {
  const dead = { now: 0, most: 0, release: Promise.withResolvers<SendOutcome>() };
  const sent: string[] = [];
  const send = ({ url, headers }: Sending): Promise<SendOutcome> => {
    sent.push(headers["service-event-id"] ?? "");
    if (url !== DEAD) return Promise.resolve(outcome());
    dead.now += 1;
    dead.most = Math.max(dead.most, dead.now);
    return dead.release.promise;
  };
  return { dead, sent, send };
}
const countPending = async (exceptFor: readonly string[]): Promise<number> => {
  const [row] = await db.rows<{ count: number }>(sql`
    select count(*)::integer as count from deliveries
    where status = 'pending' and endpoint_id <> all(${exceptFor}::text[])`);
  return row?.count ?? 0;
};

test(`a dead endpoint with ${WAITING} waiting deliveries holds up no other`, {
  timeout: 120_000,
}, async () => {
  const dead = await addEndpoint(db, tenant, { url: DEAD });
  const before = new Date(Date.now() - 60_000);
  for (let count = 0; count < WAITING; count += 5_000)
    await addDue(db, tenant, [dead.id], { count: 5_000, at: before });
  const healthy = await Promise.all(Array.from({ length: 200 }, () => addEndpoint(db, tenant)));
  await addDue(
    db,
    tenant,
    healthy.map(({ id }) => id),
    { count: 10 },
  );
  const sender = createSender();
  running = runWebhooks(createTestDeps(db, systemClock, sender.send, { pollMs: 50 }));
  await eventually("everything healthy is delivered", async () =>
    (await countPending([dead.id])) === 0 ? true : undefined,
  );
  const { now: stuck } = sender.dead;
  assert.ok(stuck >= 1 && stuck <= DELIVERY_LIMITS.laneFirst, `while ${stuck} to the dead one are stuck`);
  assert.equal(sender.sent.length, 2_000 + stuck, "each once");
  sender.dead.release.resolve(outcome());
});

test("failing endpoints can use only part of the capacity", async () => {
  const failing = await Promise.all(
    Array.from({ length: 20 }, () => addEndpoint(db, tenant, { url: DEAD, failingSince: new Date() })),
  );
  const ids = failing.map(({ id }) => id);
  await addDue(db, tenant, ids, { count: 5, at: new Date(Date.now() - 60_000) });
  const sender = createSender();
  const limits = { pollMs: 20, inFlightMax: 16, failingInFlightMax: 4 };
  running = runWebhooks(createTestDeps(db, systemClock, sender.send, limits));
  await eventually("the failing ones have their part", async () => sender.dead.now === 4 || undefined);
  const healthy = await addEndpoint(db, tenant);
  await addDue(db, tenant, [healthy.id], { count: 50 });
  await eventually("the healthy one gets the rest", async () =>
    (await countPending(ids)) === 0 ? true : undefined,
  );
  assert.equal(sender.dead.most, 4);
  sender.dead.release.resolve(outcome());
});

test("a delivery is sent when it is announced, not at the next poll", async () => {
  const { id } = await addEndpoint(db, tenant);
  const sender = createSender();
  running = runWebhooks(createTestDeps(db, systemClock, sender.send, { pollMs: 3_600_000 }));
  const [first] = await addDue(db, tenant, [id]);
  // The announcement is repeated because nobody may be listening yet.
  await eventually("it is sent", async () => {
    await db.rows(sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`);
    return sender.sent.includes(first ?? "") || undefined;
  });
});

test("stopping starts nothing new, waits for deliveries in progress and records them", async () => {
  const { id } = await addEndpoint(db, tenant, { url: DEAD });
  const [eventId] = await addDue(db, tenant, [id]);
  const sender = createSender();
  const stopped = runWebhooks(createTestDeps(db, systemClock, sender.send, { pollMs: 20 }));
  await eventually("it is under way", async () => sender.dead.now === 1 || undefined);
  const done = stopped.stop(60_000);
  sender.dead.release.resolve(outcome());
  await done;
  const [row] = await db.rows(sql`select status from deliveries where event_id = ${eventId}`);
  assert.deepEqual(row, { status: "delivered" });
});

test("stopping waits no longer than its timeout, and leaves deliveries in progress as they were", async () => {
  const { id } = await addEndpoint(db, tenant, { url: DEAD });
  const [eventId] = await addDue(db, tenant, [id]);
  const sender = createSender();
  const stopped = runWebhooks(createTestDeps(db, systemClock, sender.send, { pollMs: 20 }));
  await eventually("it is under way", async () => sender.dead.now === 1 || undefined);
  await stopped.stop(10);
  const [row] = await db.rows(sql`select status, attempts from deliveries where event_id = ${eventId}`);
  assert.deepEqual(row, { status: "pending", attempts: 0 });
});
