import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import sql from "sql-template-tag";
import Stripe from "stripe";
import { addOrder } from "../../../testing/builders/builders.ts";
import { addEndpoint, addTenant } from "../../../testing/builders/delivery.ts";
import { newId } from "../../../testing/builders/new-id.ts";
import { fulfilledEvent } from "../../../testing/builders/webhook-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { sizeFor } from "../../../testing/full-size.ts";
import { type ForkedNode, forkNode } from "../../../testing/processes/fork-node.ts";
import {
  type Answer,
  type HttpsReceiver,
  startHttpsReceiver,
} from "../../../testing/receivers/https-receiver.ts";
import { answerWith, hangUp, ok } from "../../../testing/receivers/receiver-answers.ts";
import { createRandom, SEED } from "../../../testing/seed.ts";
import type { Db } from "../../db/database.ts";
import { emitEvents } from "../../events/emit-events.ts";
import type { Tenant } from "../../http/caller.ts";
import type { DeliveryLimits } from "./limits.ts";

const KILLS = sizeFor("chaos", { share: 2, wide: 3, full: 15 });
const WORKERS = 3;
const ENDPOINTS = sizeFor("chaos", { share: 3, full: 6 });
const KILL_EVERY_MS = 600;
const EMIT_EVERY_MS = 10;
const ENDS_WITHIN_MS = 60_000;
/** Of the answers while the storm lasts, so many are failures. */
const FAILURES = 0.03;

const LIMITS: Partial<DeliveryLimits> = { leaseMs: 1_500, pollMs: 100, failingPauseMs: 20 };

let database: TestDatabase;
let db: Db;
let tenant: Tenant;
let receiver: HttpsReceiver;
let workers: ForkedNode[] = [];
const random = createRandom(SEED);

before(async () => {
  database = await createTestDatabase();
  db = database.db;
  tenant = await addTenant(db);
  receiver = await startHttpsReceiver(ok);
});
after(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  await receiver.close();
  await database.drop();
});

const start = () =>
  forkNode("deliveries", {
    connectionString: database.connectionString,
    deliveryLimits: LIMITS,
    allowsLoopback: true,
  });

/** Some answers come late, so that workers die with deliveries under way; some are no. */
const moody: Answer = (response, request) => {
  if (random.chance(FAILURES)) random.pick([answerWith(503), hangUp])(response, request);
  else if (random.chance(0.3)) setTimeout(() => ok(response, request), random.below(100));
  else ok(response, request);
};

async function emitOne(): Promise<void> {
  const orderId = newId("ord");
  await db.transaction(async (tx) => {
    await addOrder(tx, { ...tenant, id: orderId });
    await emitEvents(tx, [fulfilledEvent(tenant, orderId)], newId, new Date());
  });
}

async function emitUntil(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await emitOne();
    await wait(EMIT_EVERY_MS);
  }
}

async function killWorkers(): Promise<void> {
  for (let killed = 0; killed < KILLS; killed += 1) {
    await wait(random.below(KILL_EVERY_MS));
    const victim = random.below(WORKERS);
    await workers[victim]?.kill();
    workers[victim] = await start();
  }
}

const countPending = async (): Promise<number> => {
  const [row] = await db.rows<{ count: number }>(sql`
    select count(*)::integer as count from deliveries where status = 'pending'`);
  return row?.count ?? 0;
};

test(`workers that are killed at any moment lose no event (SEED=${SEED})`, { timeout: 180_000 }, async () => {
  const endpoints = await Promise.all(
    Array.from({ length: ENDPOINTS }, (_, index) =>
      addEndpoint(db, tenant, { url: receiver.url(`/${index}`) }),
    ),
  );
  receiver.answer = moody;
  workers = await Promise.all(Array.from({ length: WORKERS }, start));
  let isOver = false;
  const killing = killWorkers().finally(() => {
    isOver = true;
  });
  await Promise.all([killing, emitUntil(() => isOver)]);
  receiver.answer = ok;

  const deadlineMs = performance.now() + ENDS_WITHIN_MS;
  while ((await countPending()) > 0) {
    assert.ok(performance.now() < deadlineMs, `${await countPending()} deliveries still wait`);
    // Nobody has to wait for the schedule of what failed in the storm.
    await db.rows(
      sql`update deliveries set next_attempt_at = now() where status = 'pending' and next_attempt_at > now()`,
    );
    await wait(100);
  }
  const events = await db.rows<{ id: string; body: string }>(sql`select id, body from events`);
  const bodies = new Map(events.map(({ id, body }) => [id, body]));
  const { webhooks } = new Stripe("sk_test_unused");
  for (const [index, { secret }] of endpoints.entries()) {
    const receivedIds = new Set<string>();
    for (const { path, headers, body } of receiver.requests) {
      if (path !== `/${index}`) continue;
      const id = String(headers["service-event-id"]);
      assert.equal(body.toString(), bodies.get(id));
      webhooks.constructEvent(body, String(headers["service-signature"]), secret, 3_600);
      receivedIds.add(id);
    }
    const missing = [...bodies.keys()].filter((id) => !receivedIds.has(id));
    assert.deepEqual(missing, []);
  }
  const counts = await db.rows(
    sql`select status, count(*)::integer as count from deliveries group by status`,
  );
  assert.deepEqual(counts, [{ status: "delivered", count: events.length * ENDPOINTS }]);
  const twice = await db.rows(sql`
    select from delivery_attempts where response_status between 200 and 299 group by delivery_id having count(*) > 1`);
  assert.equal(twice.length, 0, "each delivery has succeeded once in the books");
  assert.deepEqual(
    workers.map((worker) => worker.logged()),
    workers.map(() => ""),
  );
});
