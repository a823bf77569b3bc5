import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { answerWith, ok, reset } from "../../testing/receivers/receiver-answers.ts";
import { openSandbox, type SandboxDesk } from "../../testing/sandbox/sandbox-desk.ts";
import type { Received } from "../../testing/sandbox/sandbox-inbox.ts";

let desk: SandboxDesk;
let made = 0;

before(async () => {
  desk = await openSandbox();
});
after(() => desk.close());
beforeEach(() => desk.answerWith(ok));

async function orderWith(scenario: string | undefined): Promise<string> {
  made += 1;
  const id = await desk.order({ idempotencyKey: `${scenario} ${made}`, scenario });
  await desk.work();
  assert.equal((await desk.read(id)).status, "completed", "the order itself is like any other");
  return id;
}
const told = (received: readonly Received[]) => received.map(({ type, verifies }) => [type, verifies]);
const ONCE = [["order.fulfilled", true]];

/** What the log of deliveries shows of an order's events. */
const attemptsOf = (orderId: string) =>
  desk.scrip.db.rows(sql`
    select a.number, a.response_status, d.attempts
    from events e join deliveries d on d.event_id = e.id join delivery_attempts a on a.delivery_id = d.id
    where e.order_id = ${orderId} order by a.number`);

async function advance(ms: number): Promise<void> {
  desk.clock.advance(ms);
  await desk.work();
}

test("webhook_duplicate: each event comes twice, the same in both, and not a third time", async () => {
  const id = await orderWith("webhook_duplicate");
  await advance(86_400_000);
  const received = desk.receivedOf(id);
  assert.deepEqual(told(received), [...ONCE, ...ONCE]);
  assert.equal(received[0]?.eventId, received[1]?.eventId);
  const requests = desk.receiver.requests.filter(({ body }) => body.includes(id));
  assert.equal(Buffer.compare(requests[0]?.body ?? Buffer.alloc(0), requests[1]?.body ?? Buffer.alloc(1)), 0);
  assert.deepEqual(await attemptsOf(id), [
    { number: 1, response_status: 200, attempts: 2 },
    { number: 2, response_status: 200, attempts: 2 },
  ]);
  await desk.assertHealthy();
});

test("webhook_duplicate at an endpoint that fails: tried again as any event, and twice once it is taken", async () => {
  desk.answerWith(answerWith(500));
  const id = await orderWith("webhook_duplicate");
  assert.equal(desk.receivedOf(id).length, 1);
  desk.answerWith(ok);
  await advance(12_000);
  await advance(86_400_000);
  assert.deepEqual(told(desk.receivedOf(id)), [...ONCE, ...ONCE, ...ONCE]);
  assert.deepEqual(await attemptsOf(id), [
    { number: 1, response_status: 500, attempts: 3 },
    { number: 2, response_status: 200, attempts: 3 },
    { number: 3, response_status: 200, attempts: 3 },
  ]);
});

test("webhook_late: nothing for 60 s, then once, signed at that time", async () => {
  const id = await orderWith("webhook_late");
  await advance(59_999);
  assert.deepEqual(desk.receivedOf(id), []);
  await desk.assertHealthy();
  await advance(1);
  assert.deepEqual(told(desk.receivedOf(id)), ONCE);
  await advance(86_400_000);
  assert.equal(desk.receivedOf(id).length, 1);
});

test("an event that is late holds up no other one", async () => {
  const late = await orderWith("webhook_late");
  const other = await orderWith(undefined);
  assert.deepEqual([desk.receivedOf(late).length, desk.receivedOf(other).length], [0, 1]);
  await advance(60_000);
  assert.equal(desk.receivedOf(late).length, 1);
});

test("webhook_late after an outage: the retries that a success pulls forward do not bring it early", async () => {
  desk.answerWith(answerWith(500));
  const waiting = await orderWith(undefined);
  const begun = await orderWith(undefined);
  for (let minute = 0; minute < 7; minute += 1) await advance(60_000);
  const late = await orderWith("webhook_late");
  desk.answerWith(ok);
  await orderWith(undefined);
  await advance(0);
  for (const id of [waiting, begun]) {
    const last = desk.receivedOf(id).length;
    assert.ok(last > 1, "it was tried during the outage and again after it");
  }
  assert.deepEqual(desk.receivedOf(late), []);
  await advance(60_000);
  assert.deepEqual(told(desk.receivedOf(late)), ONCE);
});

test("webhook_bad_signature: it never verifies, not at a retry either, and everything else about it is right", async () => {
  desk.answerWith(answerWith(400));
  const id = await orderWith("webhook_bad_signature");
  assert.deepEqual(told(desk.receivedOf(id)), [["order.fulfilled", false]]);
  desk.answerWith(ok);
  await advance(12_000);
  const received = desk.receivedOf(id);
  assert.deepEqual(told(received), [
    ["order.fulfilled", false],
    ["order.fulfilled", false],
  ]);
  assert.equal(new Set(received.map(({ eventId }) => eventId)).size, 1);
  const [request] = desk.receiver.requests.filter(({ body }) => body.includes(id));
  assert.match(String(request?.headers["service-signature"]), /^t=\d+,v1=[0-9a-f]{64}$/);
  assert.equal(request?.headers["service-event-type"], "order.fulfilled");
});

test("a receiver that correctly refuses bad signatures does not count as failing: no notice is sent and it is not disabled", async () => {
  const right = await orderWith(undefined);
  assert.deepEqual(told(desk.receivedOf(right)), ONCE);
  desk.answerWith(answerWith(400));
  const id = await orderWith("webhook_bad_signature");
  for (let hour = 0; hour < 24 * 6; hour += 1) await advance(3_600_000);
  assert.equal(desk.receivedOf(id).length, 11, "every attempt was made");
  const rows = await desk.scrip.db.rows(sql`select failures, failing_since from webhook_endpoints`);
  assert.deepEqual(rows, [{ failures: 0, failing_since: null }]);
});

test("a receiver that does not even answer is failing, whatever it was sent", async () => {
  desk.answerWith(reset);
  await orderWith("webhook_bad_signature");
  const rows = await desk.scrip.db.rows(sql`select failures from webhook_endpoints`);
  assert.deepEqual(rows, [{ failures: 1 }]);
});

test("a redelivery of such events is like their first delivery", async () => {
  const times = { webhook_duplicate: 2, webhook_late: 1, webhook_bad_signature: 1 };
  for (const [scenario, count] of Object.entries(times)) {
    const id = await orderWith(scenario);
    await advance(60_000);
    const before = desk.receivedOf(id);
    assert.equal(before.length, count);
    const [delivery] = await desk.scrip.db.rows<{ id: string }>(sql`
      select d.id from deliveries d join events e on e.id = d.event_id where e.order_id = ${id}`);
    assert.equal((await desk.ask("POST", `/v1/deliveries/${delivery?.id}/redeliver`)).statusCode, 200);
    await desk.work();
    assert.equal(desk.receivedOf(id).length, 2 * count, scenario);
    assert.deepEqual(
      new Set(desk.receivedOf(id).map(({ verifies }) => verifies)),
      new Set([scenario !== "webhook_bad_signature"]),
    );
  }
});

test("the scenario of one order is not that of the next", async () => {
  await orderWith("webhook_bad_signature");
  await orderWith("webhook_duplicate");
  assert.deepEqual(told(desk.receivedOf(await orderWith(undefined))), ONCE);
});
