import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import Stripe from "stripe";
import {
  addDue,
  addEndpoint,
  addSecret,
  addTenant,
  createTestDeliverer,
  listDeliveries,
  outcome,
  refusal,
} from "../../../testing/builders/delivery.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { eventually } from "../../../testing/eventually.ts";
import { createHandClock, type HandClock } from "../../../testing/hand-clock.ts";
import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { DELIVERY_LIMITS } from "./limits.ts";
import { RETRY_PAUSES_MS } from "./retry-schedule.ts";
import type { Sending, SendOutcome } from "./send-delivery.ts";

let database: TestDatabase;
let db: Db;
let tenant: Tenant;
let clock: HandClock;
let sent: Sending[];

before(async () => {
  database = await createTestDatabase();
  db = database.db;
  tenant = await addTenant(db);
});
after(() => database.drop());
beforeEach(async () => {
  // Each test begins with nothing waiting.
  await db.rows(
    sql`update deliveries set status = 'failed', next_attempt_at = null where status = 'pending'`,
  );
  clock = createHandClock();
  sent = [];
});

/** Sends nothing, writes down what would have been sent and answers as told. */
const sender =
  (answer: (sending: Sending) => SendOutcome | Promise<SendOutcome>) =>
  async (sending: Sending): Promise<SendOutcome> => {
    sent.push(sending);
    return answer(sending);
  };
const create = (answer: (sending: Sending) => SendOutcome | Promise<SendOutcome> = () => outcome()) =>
  createTestDeliverer(db, clock, sender(answer));
const due = (endpointId: string, count = 1) => addDue(db, tenant, [endpointId], { count, at: clock.now() });
const only = async (endpointId: string) => {
  const rows = await listDeliveries(db, endpointId);
  assert.equal(rows.length, 1);
  return rows[0] as (typeof rows)[number];
};
const readEndpoint = async (id: string) => {
  const [row] = await db.rows<{ failingSince: Date | null; failures: number }>(sql`
    select failing_since as "failingSince", failures from webhook_endpoints where id = ${id}`);
  return row;
};
const countAttempts = async (endpointId: string): Promise<bigint | undefined> => {
  const [row] = await db.rows<{ count: bigint }>(sql`
    select count(*) from delivery_attempts a join deliveries d on d.id = a.delivery_id where d.endpoint_id = ${endpointId}`);
  return row?.count;
};

test("a delivery that always fails is tried eleven times, at the contract's times plus up to 20 %, and then fails", async () => {
  const { id } = await addEndpoint(db, tenant);
  await due(id);
  const worker = create(() =>
    refusal({ responseHeaders: "server: nginx", responseBody: "no", latencyMs: 17 }),
  );
  for (const [index, pauseMs] of RETRY_PAUSES_MS.entries()) {
    await worker.drain();
    const { status, attempts, nextAttemptAt } = await only(id);
    assert.deepEqual([status, attempts, sent.length], ["pending", index + 1, index + 1]);
    const waitMs = (nextAttemptAt?.getTime() ?? 0) - clock.now().getTime();
    assert.ok(waitMs >= pauseMs && waitMs <= pauseMs * 1.2 + 1, `pause ${index + 1} is ${waitMs} ms`);
    clock.advance(waitMs - 1);
    await worker.drain();
    assert.equal(sent.length, index + 1, "not a millisecond before its time");
    clock.advance(1);
  }
  await worker.drain();
  assert.deepEqual(
    { ...(await only(id)), eventId: "" },
    {
      endpointId: id,
      eventId: "",
      status: "failed",
      step: 11,
      attempts: 11,
      nextAttemptAt: null,
    },
  );
  clock.advance(30 * 86_400_000);
  await worker.drain();
  assert.equal(sent.length, 11);
  const rows = await db.rows(sql`
    select number, response_status as status, error, latency_ms as ms, response_body as body, response_headers as headers
    from delivery_attempts a join deliveries d on d.id = a.delivery_id where d.endpoint_id = ${id} order by number`);
  const attempt = (number: number) => ({
    ...{ number, status: 500, error: null, ms: 17 },
    ...{ body: "no", headers: "server: nginx" },
  });
  assert.deepEqual(
    rows,
    Array.from({ length: 11 }, (_, index) => attempt(index + 1)),
  );
});

test("Retry-After delays the next attempt", async () => {
  const { id } = await addEndpoint(db, tenant);
  await due(id);
  await create(() => refusal({ responseStatus: 503, retryAfterMs: 3_600_000 })).drain();
  const { nextAttemptAt } = await only(id);
  assert.equal(nextAttemptAt?.getTime(), clock.now().getTime() + 3_600_000);
});

test("each attempt sends the stored bytes, with its own time and signatures, which a third-party library accepts", async () => {
  const { id, secret: older } = await addEndpoint(db, tenant, { url: "https://receiver.example/a?b=c" });
  const newer = await addSecret(db, id);
  const [eventId] = await due(id);
  const worker = create(() => refusal());
  await worker.drain();
  clock.advance(3_600_000);
  await db.rows(sql`update webhook_secrets set expires_at = ${clock.now()} where endpoint_id = ${id} and expires_at is null
                    and id = (select min(id) from webhook_secrets where endpoint_id = ${id})`);
  await worker.drain();

  const [stored] = await db.rows<{ body: string }>(sql`select body from events where id = ${eventId}`);
  const [first, second] = sent;
  assert.ok(first && second && stored);
  for (const { url, body, headers } of [first, second]) {
    assert.deepEqual([url, body], ["https://receiver.example/a?b=c", stored.body]);
    assert.equal(headers["service-event-id"], eventId);
    assert.equal(headers["service-event-type"], "order.fulfilled");
    assert.equal(headers["content-type"], "application/json");
  }
  const { webhooks } = new Stripe("sk_test_unused");
  const at = (headers: Sending["headers"], secret: string, time: number) =>
    webhooks.constructEvent(stored.body, headers["service-signature"] ?? "", secret, 5, undefined, time);
  const nowMs = clock.now().getTime();
  for (const secret of [older, newer]) at(first.headers, secret, nowMs - 3_600_000);
  at(second.headers, newer, nowMs);
  assert.throws(() => at(second.headers, older, nowMs), "a secret that has expired signs no more");
});

test("the first failure marks an endpoint as failing, further ones are counted, and one success clears it", async () => {
  const { id } = await addEndpoint(db, tenant);
  await due(id);
  const began = clock.now();
  let answer = refusal();
  const worker = create(() => answer);
  await worker.drain();
  assert.deepEqual(await readEndpoint(id), { failingSince: began, failures: 1 });
  clock.advance(60_000);
  await worker.drain();
  assert.deepEqual(await readEndpoint(id), { failingSince: began, failures: 2 });
  answer = outcome();
  clock.advance(3_600_000);
  await worker.drain();
  assert.deepEqual(await readEndpoint(id), { failingSince: null, failures: 0 });
  assert.equal((await only(id)).status, "delivered");
});

test("the first success after an outage pulls the waiting retries forward, some at a time, until all are sent", async () => {
  const { id } = await addEndpoint(db, tenant, { failingSince: new Date(clock.now().getTime() - 3_600_000) });
  const later = new Date(clock.now().getTime() + 20 * 3_600_000);
  const waiting = await addDue(db, tenant, [id], { count: 50, at: later, step: 9 });
  const [first] = await due(id);
  const pulled: bigint[] = [];
  const worker = createTestDeliverer(
    db,
    clock,
    sender(async () => {
      const [row] = await db.rows<{ count: bigint }>(sql`
        select count(*) from deliveries
        where endpoint_id = ${id} and status = 'pending' and next_attempt_at <= ${clock.now()}`);
      pulled.push(row?.count ?? 0n);
      return outcome();
    }),
    { pulledForwardMax: 5 },
  );
  await worker.drain();
  const ids = sent.map(({ headers }) => headers["service-event-id"]);
  assert.equal(ids[0], first);
  assert.deepEqual(new Set(ids.slice(1)), new Set(waiting));
  assert.equal(ids.length, 51, "each once");
  // Two batches of attempts may be recorded at a time, and each pulls a portion.
  assert.ok(
    pulled.every((count) => count <= 10n),
    `never all at once: ${pulled.join()}`,
  );
});

test("an endpoint that refuses one event of many has no outage: that event keeps its schedule", async () => {
  const { id } = await addEndpoint(db, tenant);
  const [stubborn] = await due(id);
  const isStubborn = ({ headers }: Sending) => headers["service-event-id"] === stubborn;
  const worker = createTestDeliverer(
    db,
    clock,
    sender(async (sending) => (isStubborn(sending) ? refusal() : outcome())),
  );
  for (let second = 0; second < 9; second += 1) {
    await due(id);
    await worker.drain();
    clock.advance(1_000);
  }
  assert.equal(sent.filter(isStubborn).length, 1, "its second attempt is due after ten seconds");
});

test("a success of a healthy endpoint pulls nothing forward", async () => {
  const { id } = await addEndpoint(db, tenant);
  const later = new Date(clock.now().getTime() + 3_600_000);
  await addDue(db, tenant, [id], { at: later, step: 3 });
  await due(id);
  await create().drain();
  assert.equal(sent.length, 1);
});

test("our own fault is not recorded, counts against no endpoint, and is due again after a pause", async () => {
  const { id } = await addEndpoint(db, tenant);
  await due(id, 3);
  let answer = outcome({ kind: "own-fault", responseStatus: null, error: "own_fault" });
  const worker = create(() => answer);
  const untouched = await listDeliveries(db, id);
  await worker.drain();
  assert.equal(sent.length, 3, "not hammered");
  assert.deepEqual(await listDeliveries(db, id), untouched);
  assert.equal(await countAttempts(id), 0n);
  assert.deepEqual(await readEndpoint(id), { failingSince: null, failures: 0 });
  answer = outcome();
  clock.advance(DELIVERY_LIMITS.failingPauseMs);
  await worker.drain();
  const statuses = (await listDeliveries(db, id)).map(({ status, attempts }) => `${status} ${attempts}`);
  assert.deepEqual(statuses, ["delivered 1", "delivered 1", "delivered 1"]);
});

test("an endpoint that refuses at once is paused after each attempt", async () => {
  const { id } = await addEndpoint(db, tenant);
  await due(id, 20);
  const worker = create(() => refusal());
  await worker.drain();
  assert.equal(sent.length, DELIVERY_LIMITS.laneFirst);
  clock.advance(DELIVERY_LIMITS.failingPauseMs - 1);
  await worker.drain();
  assert.equal(sent.length, DELIVERY_LIMITS.laneFirst);
  clock.advance(1);
  await worker.drain();
  assert.equal(sent.length, DELIVERY_LIMITS.laneFirst + 1, "one at a time while it fails");
});

/** A worker whose first sending lasts until it is told to end. */
function createWithSlowFirst() {
  const first = Promise.withResolvers<SendOutcome>();
  const worker = create(() => (sent.length === 1 ? first.promise : outcome()));
  return { worker, endFirst: () => first.resolve(outcome()) };
}
const countDelivered = async (id: string): Promise<number> =>
  (await listDeliveries(db, id)).filter(({ status }) => status === "delivered").length;

test("the next delivery of an endpoint starts as soon as one has ended, and a slow one does not hold up the others", async () => {
  const { id } = await addEndpoint(db, tenant);
  await due(id, 50);
  const { worker, endFirst } = createWithSlowFirst();
  await worker.step();
  await eventually("all others are delivered", async () =>
    (await countDelivered(id)) === 49 ? true : undefined,
  );
  // What comes meanwhile is looked for now and then, and not only when the slow one has ended.
  await due(id, 3);
  clock.advance(DELIVERY_LIMITS.pollMs);
  await worker.step();
  await eventually("the new ones are delivered", async () =>
    (await countDelivered(id)) === 52 ? true : undefined,
  );
  endFirst();
  await worker.idle();
  assert.equal(await countDelivered(id), 53);
  assert.equal(sent.length, 53, "each once");
});

test("the database does not hold up an endpoint: more is sent while what was delivered is being recorded, up to twice its width", async () => {
  const { id } = await addEndpoint(db, tenant);
  await due(id, 40);
  const recorded = Promise.withResolvers<void>();
  const transaction: Db["transaction"] = async (work) => {
    await recorded.promise;
    return db.transaction(work);
  };
  const limits = { laneFirst: 4, laneMax: 4 };
  const worker = createTestDeliverer(
    { ...db, transaction },
    clock,
    sender(() => outcome()),
    limits,
  );
  await worker.step();
  await eventually("as much is sent as may be", async () => (sent.length === 8 ? true : undefined));
  assert.equal(await countDelivered(id), 0);
  recorded.resolve();
  await worker.idle();
  assert.equal(await countDelivered(id), 40);
  assert.equal(sent.length, 40, "each once");
});

test("a lane whose turn is over is released, and continues in its next turn", async () => {
  const { id } = await addEndpoint(db, tenant);
  await due(id, 60);
  const worker = create(() => {
    clock.advance(DELIVERY_LIMITS.laneTurnMs / 10);
    return outcome();
  });
  await worker.step();
  await worker.idle();
  const inOneTurn = await countDelivered(id);
  assert.ok(inOneTurn >= 10 && inOneTurn < 60, `${inOneTurn}`);
  await worker.drain();
  assert.equal(await countDelivered(id), 60);
  assert.equal(sent.length, 60, "each once");
});

test("however many deliveries hang, there is room for the first delivery of every other endpoint", async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, async () => (await addEndpoint(db, tenant)).id));
  const other = await addEndpoint(db, tenant, { url: "https://other.example/hook" });
  const hung = Promise.withResolvers<SendOutcome>();
  let isHanging = false;
  const worker = create(({ url }) => (isHanging && !url.includes("other") ? hung.promise : outcome()));
  const underWay = () => sent.filter(({ url }) => !url.includes("other")).length;
  // Quick at first, so that their lanes are as wide as can be.
  await addDue(db, tenant, ids, { count: 60, at: clock.now() });
  await worker.drain();
  sent = [];
  isHanging = true;
  for (const id of ids) {
    const before = underWay();
    await due(id, 60);
    await worker.step();
    await eventually("it is being sent", async () => (underWay() > before ? true : undefined));
  }
  await due(other.id);
  await worker.step();
  await eventually("the other one is sent", async () =>
    sent.some(({ url }) => url.includes("other")) ? true : undefined,
  );
  const { inFlightMax, keptForFirst } = DELIVERY_LIMITS;
  assert.ok(underWay() <= inFlightMax - keptForFirst + ids.length, `${underWay()} are under way`);
  hung.resolve(outcome());
  await worker.stop();
});

test("a worker whose lease has expired does not start its own deliveries again", async () => {
  const { id } = await addEndpoint(db, tenant);
  await due(id);
  const first = Promise.withResolvers<SendOutcome>();
  const worker = create(() => first.promise);
  await worker.step();
  await eventually("it is being sent", async () => sent[0]);
  clock.advance(DELIVERY_LIMITS.leaseMs + 1);
  await worker.step();
  first.resolve(outcome());
  await worker.idle();
  assert.equal(sent.length, 1);
  assert.equal(await countDelivered(id), 1);
});

test("nothing is sent to an endpoint that was switched off or removed during its turn", async () => {
  const { id } = await addEndpoint(db, tenant);
  await due(id);
  const { worker, endFirst } = createWithSlowFirst();
  await worker.step();
  await eventually("it is being sent", async () => sent[0]);
  await db.rows(sql`update webhook_endpoints set active = false where id = ${id}`);
  await due(id, 3);
  clock.advance(DELIVERY_LIMITS.pollMs);
  await worker.step();
  endFirst();
  await worker.idle();
  assert.equal(sent.length, 1);
});

test("a worker that is stopping starts nothing more, and records what was in progress", async () => {
  const { id } = await addEndpoint(db, tenant);
  await due(id, 50);
  const first = Promise.withResolvers<SendOutcome>();
  const worker = create(() => first.promise);
  await worker.step();
  await eventually("the lane is full", async () =>
    sent.length === DELIVERY_LIMITS.laneFirst ? true : undefined,
  );
  const stopped = worker.stop();
  first.resolve(outcome());
  await stopped;
  assert.equal(sent.length, DELIVERY_LIMITS.laneFirst);
  assert.equal(await countDelivered(id), DELIVERY_LIMITS.laneFirst);
});

test("a worker whose lane was taken over records nothing; the other worker's record counts", async () => {
  const { id } = await addEndpoint(db, tenant);
  await due(id);
  const stuck = Promise.withResolvers<SendOutcome>();
  const slow = create(() => stuck.promise);
  await slow.step();
  await eventually("the first worker sends", async () => sent.length === 1 || undefined);
  const other = create(() => refusal({ responseStatus: 503 }));
  await other.drain();
  assert.equal(sent.length, 1, "the lane is the first worker's");
  clock.advance(DELIVERY_LIMITS.leaseMs);
  await other.drain();
  assert.equal(sent.length, 2);
  const [before, endpoint] = [await only(id), await readEndpoint(id)];
  stuck.resolve(outcome());
  await slow.idle();
  assert.deepEqual(await only(id), before);
  assert.deepEqual(await readEndpoint(id), endpoint);
  assert.equal(await countAttempts(id), 1n);
});

test("what a worker was sending when it died is sent again by another when the lease has run out", async () => {
  const { id } = await addEndpoint(db, tenant);
  const [eventId] = await due(id);
  const died = create(() => new Promise(() => {}));
  await died.step();
  await eventually("it is being sent", async () => sent[0]);
  const other = create();
  clock.advance(DELIVERY_LIMITS.leaseMs - 1);
  await other.drain();
  assert.equal(sent.length, 1);
  clock.advance(1);
  await other.drain();
  const ids = sent.map(({ headers }) => headers["service-event-id"]);
  assert.deepEqual(ids, [eventId, eventId]);
  const { status, attempts } = await only(id);
  assert.deepEqual([status, attempts], ["delivered", 1]);
});

test("an endpoint that is disabled or removed gets nothing, and one that is enabled again gets its waiting deliveries", async () => {
  const disabled = await addEndpoint(db, tenant, { active: false });
  const removed = await addEndpoint(db, tenant, { deleted: true });
  await addDue(db, tenant, [disabled.id, removed.id], { count: 2, at: clock.now() });
  const worker = create();
  await worker.drain();
  assert.equal(sent.length, 0);
  await db.rows(sql`update webhook_endpoints set active = true where id = ${disabled.id}`);
  await worker.drain();
  assert.equal(sent.length, 2);
});

test("a secret that does not open stops only its own endpoint, and nothing is sent unsigned", async () => {
  const broken = await addEndpoint(db, tenant, { url: "https://broken.example/" });
  const healthy = await addEndpoint(db, tenant, { url: "https://healthy.example/" });
  await db.rows(sql`update webhook_secrets set sealed = '\\x00' where endpoint_id = ${broken.id}`);
  await addDue(db, tenant, [broken.id, healthy.id], { at: clock.now() });
  await create().drain();
  assert.deepEqual(
    sent.map(({ url }) => url),
    ["https://healthy.example/"],
  );
  assert.deepEqual([(await only(broken.id)).attempts, (await readEndpoint(broken.id))?.failures], [0, 0]);
});
