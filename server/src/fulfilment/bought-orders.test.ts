import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, balanceOf, postOrder } from "../../testing/builders/buyers.ts";
import { createTestFulfiller, type TestFulfiller, unitStatuses } from "../../testing/builders/fulfilment.ts";
import { addRouteRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { keepPlans } from "../../testing/database/keep-plans.ts";
import { createHandClock, type HandClock } from "../../testing/hand-clock.ts";
import {
  accepted,
  createScriptedSupplier,
  lost,
  notFound,
  refused,
  type ScriptedSupplier,
  sold,
} from "../../testing/upstream/scripted-supplier.ts";
import { audit } from "../audit/audit.ts";
import { FULFILMENT_LIMITS } from "./limits.ts";
import { followWrittenOff } from "./operate/follow-written-off.ts";
import { holdOrder } from "./operate/hold-order.ts";
import { refundOrder } from "./refund/refund-order.ts";

const PRICE_MINOR = 1_000;

let clock: HandClock;
let scrip: TestApp;
let buyer: Buyer;
let worker: TestFulfiller;
let first: ScriptedSupplier;
let second: ScriptedSupplier;
let balance: number;
let ids: { first: string; second: string };

before(async () => {
  clock = createHandClock();
  scrip = await createTestApp({ clock });
  buyer = await addBuyer(scrip);
  await addProducts(scrip.db, [{ id: "bought" }]);
  await addListPrice(scrip.db, { productId: "bought", amountMinor: BigInt(PRICE_MINOR) });
  ids = {
    first: await addSupplierRow(scrip.db, { kind: "scrip", resendAfterMs: FULFILMENT_LIMITS.arrivalMs }),
    second: await addSupplierRow(scrip.db, { kind: "scrip", resendAfterMs: FULFILMENT_LIMITS.arrivalMs }),
  };
  await addRouteRow(scrip.db, { productId: "bought", supplierId: ids.first, priority: 1 });
  await addRouteRow(scrip.db, { productId: "bought", supplierId: ids.second, priority: 2 });
});
after(() => scrip.close());

beforeEach(async () => {
  // Time enough for every rate and breaker to have forgotten the test before.
  clock.advance(3_600_000);
  await scrip.db.rows(sql`update suppliers set consecutive_failures = 0, open_until = null`);
  first = createScriptedSupplier();
  second = createScriptedSupplier();
  worker = createTestFulfiller(scrip, { suppliers: { [ids.first]: first, [ids.second]: second } });
  balance = await balanceOf(scrip.db, buyer);
});

let made = 0;
async function order(quantity = 1): Promise<string> {
  made += 1;
  const reply = await postOrder(scrip, buyer, `order-${made}`, {
    lines: [{ productId: "bought", quantity }],
  });
  assert.equal(reply.statusCode, 202, reply.body);
  return reply.json().order.id;
}

const statusOf = async (id: string): Promise<string> =>
  (await scrip.call("GET", `/v1/orders/${id}`, { key: buyer.key })).json().order.status;
const codesOf = async (id: string): Promise<string[]> => {
  const reply = await scrip.call("GET", `/v1/orders/${id}/codes`, { key: buyer.key });
  return (reply.json().data ?? []).map((one: { code: string }) => one.code);
};
const assertHealthy = async () =>
  assert.deepEqual(
    (await audit(keepPlans(scrip.db))).invariants.filter(({ ok }) => !ok),
    [],
  );

/** Lets a pause pass and looks again. */
async function later(ms: number): Promise<void> {
  clock.advance(ms);
  await worker.drain();
}

test("a purchase that is accepted is followed until its code is there", async () => {
  first.answers = [accepted, accepted, sold("A-1")];
  const id = await order();
  await worker.drain();
  assert.equal(await statusOf(id), "processing");
  await later(2_000);
  await later(4_000);
  assert.equal(await statusOf(id), "completed");
  assert.deepEqual(await codesOf(id), ["A-1"]);
  assert.deepEqual(first.asked, [`buy ${id}.0.0.1`, "look up ord_upstream", "look up ord_upstream"]);
  assert.deepEqual(second.asked, []);
  await assertHealthy();
});

test("after a lost answer the supplier is asked by our reference, and what it sold is adopted", async () => {
  first.answers = [lost, sold("A-2")];
  const id = await order();
  await worker.drain();
  assert.equal(await statusOf(id), "processing");
  await later(2_000);
  assert.deepEqual(await codesOf(id), ["A-2"]);
  assert.deepEqual(first.asked, [`buy ${id}.0.0.1`, `look up ${id}.0.0.1`]);
  await assertHealthy();
});

test("what is not found is sent again under the same reference, and only after it has had time to arrive", async () => {
  first.answers = [lost, notFound, notFound, sold("A-3")];
  const id = await order();
  await worker.drain();
  await later(2_000);
  assert.equal(first.asked.length, 2);
  await later(FULFILMENT_LIMITS.arrivalMs);
  assert.deepEqual(first.asked.slice(2), [`look up ${id}.0.0.1`, `buy ${id}.0.0.1`]);
  assert.deepEqual(await codesOf(id), ["A-3"]);
  assert.deepEqual(second.asked, []);
  await assertHealthy();
});

test("a refusal at once lets the next supplier try; money moves only when none is left", async () => {
  first.answers = [refused("out_of_stock")];
  second.answers = [sold("B-1")];
  const id = await order();
  await worker.drain();
  assert.deepEqual(await codesOf(id), ["B-1"]);
  assert.deepEqual(second.asked, [`buy ${id}.0.0.2`]);

  second.answers = [refused("rejected_by_issuer")];
  const none = await order();
  await worker.drain();
  assert.equal(await statusOf(none), "refunded");
  assert.equal(await balanceOf(scrip.db, buyer), balance - PRICE_MINOR);
  await assertHealthy();
});

test("a refusal that follows a lost answer is not believed before a second look", async () => {
  first.answers = [lost, notFound, refused("out_of_stock"), notFound];
  second.answers = [sold("B-2")];
  const id = await order();
  await worker.drain();
  await later(FULFILMENT_LIMITS.arrivalMs);
  assert.deepEqual(second.asked, []);
  assert.equal(await statusOf(id), "processing");
  await later(FULFILMENT_LIMITS.arrivalMs);
  assert.deepEqual(await codesOf(id), ["B-2"]);
  await assertHealthy();
});

test("a refusal that follows a lost answer is dropped when the purchase turns up after all", async () => {
  first.answers = [lost, notFound, refused("out_of_stock"), sold("A-4")];
  const id = await order();
  await worker.drain();
  await later(FULFILMENT_LIMITS.arrivalMs);
  await later(FULFILMENT_LIMITS.arrivalMs);
  assert.deepEqual(await codesOf(id), ["A-4"]);
  assert.deepEqual(second.asked, []);
  await assertHealthy();
});

test("no unknown outcome is ever refunded or bought elsewhere, however long it lasts", async () => {
  first.answers = [lost];
  const id = await order();
  await worker.drain();
  for (let hour = 0; hour < 48; hour += 1) await later(3_600_000);
  assert.equal(await statusOf(id), "processing");
  assert.deepEqual(second.asked, []);
  assert.equal(await balanceOf(scrip.db, buyer), balance - PRICE_MINOR);
  first.answers = [sold("A-5")];
  await later(3_600_000);
  assert.deepEqual(await codesOf(id), ["A-5"]);
  await assertHealthy();
});

test("a code that was seen before goes to quarantine, and the unit is paid back", async () => {
  first.answers = [sold("A-6")];
  const once = await order();
  await worker.drain();
  const twice = await order(2);
  await worker.drain();
  assert.deepEqual(await codesOf(once), ["A-6"]);
  assert.deepEqual(await unitStatuses(scrip.db, twice), ["refunded refunded"]);
  assert.equal(await statusOf(twice), "refunded");
  assert.equal(await balanceOf(scrip.db, buyer), balance - PRICE_MINOR);
  assert.deepEqual(second.asked, []);
  await assertHealthy();
});

test("an unknown purchase that is written off is refunded at once, and its late code goes to quarantine", async () => {
  first.answers = [lost, sold("A-7")];
  const id = await order();
  await worker.drain();
  await refundOrder(scrip.db, clock, { orderId: id, lines: undefined, reason: "supplier does not answer" });
  assert.equal(await statusOf(id), "refunded");
  assert.equal(await balanceOf(scrip.db, buyer), balance);
  await assertHealthy();
  clock.advance(60_000);
  await followWrittenOff(worker.deps);
  assert.deepEqual(first.asked, [`buy ${id}.0.0.1`, `look up ${id}.0.0.1`]);
  assert.deepEqual(await codesOf(id), []);
  const [quarantined] = await scrip.db.rows(
    sql`select state, quarantine_reason as reason from codes where order_id = ${id}`,
  );
  assert.deepEqual(quarantined, { state: "quarantined", reason: "late" });
  await assertHealthy();
});

test("a code that arrives while the unit is being written off goes to quarantine as well", async () => {
  const id = await order();
  first.buy = async () => {
    await refundOrder(scrip.db, clock, { orderId: id, lines: undefined, reason: "in between" });
    return sold("A-8");
  };
  await worker.drain();
  assert.equal(await statusOf(id), "refunded");
  assert.equal(await balanceOf(scrip.db, buyer), balance);
  // The refund ended the order and with it the worker's lease, so the worker's own answer counts for nothing.
  first.answers = [sold("A-8")];
  clock.advance(60_000);
  await followWrittenOff(worker.deps);
  const rows = await scrip.db.rows(sql`select state from codes where order_id = ${id}`);
  assert.deepEqual(rows, [{ state: "quarantined" }]);
  await assertHealthy();
});

test("a failed order whose refund is on hold rests there until it is released", async () => {
  first.answers = [refused("out_of_stock")];
  second.answers = [refused("out_of_stock")];
  const id = await order();
  await holdOrder(scrip.db, clock, id, true);
  await worker.drain();
  assert.equal(await statusOf(id), "failed");
  await later(3_600_000);
  assert.equal(await statusOf(id), "failed");
  await assertHealthy();
  await holdOrder(scrip.db, clock, id, false);
  await worker.drain();
  assert.equal(await statusOf(id), "refunded");
  assert.equal(await balanceOf(scrip.db, buyer), balance);
  await assertHealthy();
});

test("a supplier that keeps failing is left alone, and others are asked meanwhile", async () => {
  first.answers = [lost];
  second.answers = [sold("B-3")];
  const stuck = await order(FULFILMENT_LIMITS.breakerFailures);
  await worker.drain();
  assert.equal(await statusOf(stuck), "processing");
  const asked = first.asked.length;
  const id = await order();
  await worker.step();
  await worker.idle();
  assert.equal(first.asked.filter((one) => one.startsWith("buy")).length, asked);
  assert.deepEqual(await codesOf(id), ["B-3"]);
  await refundOrder(scrip.db, clock, { orderId: stuck, lines: undefined, reason: "the supplier is down" });
  clock.advance(FULFILMENT_LIMITS.breakerMaxMs);
  first.answers = [sold("B-4")];
  const again = await order();
  await worker.drain();
  assert.deepEqual(await codesOf(again), ["B-4"]);
  const log = await scrip.db.rows<{ action: string }>(
    sql`select actor_kind || ' ' || action as action from activity where object_id = ${ids.first} order by id`,
  );
  const [paused, resumed] = log.slice(-2).map(({ action }) => action);
  assert.deepEqual([paused, resumed], ["system supplier.paused", "system supplier.resumed"]);
  await assertHealthy();
});

test("a worker whose lease has run out writes nothing", async () => {
  const id = await order();
  first.buy = async () => {
    // Another worker takes the order over while this one waits for its supplier.
    clock.advance(FULFILMENT_LIMITS.leaseMs + 1);
    const other = createTestFulfiller(scrip, {
      suppliers: { [ids.first]: createScriptedSupplier(sold("A-9")) },
    });
    await other.drain();
    return sold("A-10");
  };
  await worker.drain();
  assert.deepEqual(await codesOf(id), ["A-9"]);
  await assertHealthy();
});
