import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { balanceOf } from "../../../testing/builders/buyers.ts";
import {
  createTestFulfiller,
  type TestFulfiller,
  unitStatuses,
} from "../../../testing/builders/fulfilment.ts";
import { openShop, PRICE_MINOR, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import {
  accepted,
  createScriptedSupplier,
  lost,
  refused,
  type ScriptedSupplier,
  sold,
} from "../../../testing/upstream/scripted-supplier.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";
import { refundOrder } from "../refund/refund-order.ts";
import { holdOrder, retryOrder } from "./hold-order.ts";

let shop: Shop;
let supplierId: string;
let bought: string;
let supplier: ScriptedSupplier;
let worker: TestFulfiller;
let balance: number;

before(async () => {
  shop = await openShop();
  supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
  bought = await shop.addBought(supplierId);
});
after(() => shop.close());
beforeEach(async () => {
  shop.clock.advance(3_600_000);
  supplier = createScriptedSupplier();
  worker = createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier } });
  balance = await balanceOf(shop.scrip.db, shop.buyer);
});

const hold = (id: string) => holdOrder(shop.scrip.db, shop.clock, id, true);
const release = (id: string) => holdOrder(shop.scrip.db, shop.clock, id, false);
const retry = (id: string) => retryOrder(shop.scrip.db, shop.clock, id);
const statusOf = async (id: string): Promise<string> => (await shop.read(id)).status;
async function step(): Promise<void> {
  await worker.step();
  await worker.idle();
}
/** However long one waits, the order stays as it is, and that is in order. */
async function checkRests(id: string, status: string) {
  for (let hour = 0; hour < 3; hour += 1) {
    shop.clock.advance(3_600_000);
    await worker.drain();
  }
  assert.equal(await statusOf(id), status);
  await shop.assertHealthy();
}

test("an order that is held before a worker takes it is still delivered", async () => {
  supplier.answers = [sold("held and delivered")];
  const id = await shop.order([bought, 1]);
  assert.deepEqual(await hold(id), { orderId: id, status: "pending", refundHeld: true });
  await worker.drain();
  assert.equal(await statusOf(id), "completed");
  await shop.assertHealthy();
});

test("an order that is held after it has failed and before it was refunded rests there, and its release pays it back", async () => {
  supplier.answers = [refused("rejected_by_issuer")];
  const id = await shop.order([bought, 2]);
  await step();
  await step();
  assert.equal(await statusOf(id), "failed");
  assert.deepEqual(await hold(id), { orderId: id, status: "failed", refundHeld: true });
  assert.deepEqual(await shop.scrip.db.rows(sql`select from order_work where order_id = ${id}`), []);
  await checkRests(id, "failed");
  assert.deepEqual(await hold(id), { orderId: id, status: "failed", refundHeld: true });
  assert.deepEqual(await release(id), { orderId: id, status: "failed", refundHeld: false });
  await shop.assertHealthy();
  await worker.drain();
  assert.equal(await statusOf(id), "refunded");
  assert.equal(await balanceOf(shop.scrip.db, shop.buyer), balance);
  await shop.assertHealthy();
});

test("of a held order what can be delivered is delivered, and the rest waits for the release", async () => {
  supplier.answers = [refused("out_of_stock")];
  const id = await shop.order([await shop.addStocked(1), 1], [bought, 2]);
  await hold(id);
  await worker.drain();
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["delivered", "failed failed"]);
  await checkRests(id, "processing");
  assert.equal((await shop.codesOf(id)).json().data.length, 1);
  await release(id);
  await shop.assertHealthy();
  await worker.drain();
  assert.equal(await statusOf(id), "completed");
  assert.equal(await balanceOf(shop.scrip.db, shop.buyer), balance - PRICE_MINOR);
  await shop.assertHealthy();
});

test("a hold while a worker has the order counts for what the worker finds out", async () => {
  const id = await shop.order([bought, 1]);
  supplier.buy = async () => {
    await hold(id);
    return refused("rejected_by_issuer");
  };
  await worker.drain();
  await checkRests(id, "failed");
  await release(id);
  await worker.drain();
  assert.equal(await statusOf(id), "refunded");
});

test("a release in the midst of the work changes nothing for an order that goes well", async () => {
  supplier.answers = [accepted];
  const id = await shop.order([bought, 1]);
  await hold(id);
  await worker.drain();
  await release(id);
  supplier.answers = [sold("released")];
  shop.clock.advance(FULFILMENT_LIMITS.lookMaxMs);
  await worker.drain();
  assert.equal(await statusOf(id), "completed");
  await shop.assertHealthy();
});

test("orders of which no refund can become due are not held", async () => {
  const done = await shop.order([await shop.addStocked(1), 1]);
  await worker.drain();
  await assert.rejects(hold(done), {
    name: "RangeError",
    message: `${done} is completed: it has no refund to hold`,
  });
  await assert.rejects(release(done), /it has no refund to hold/);
  await refundOrder(shop.scrip.db, shop.clock, { orderId: done, lines: undefined, reason: "back" });
  await assert.rejects(hold(done), { message: `${done} is refunded: it has no refund to hold` });
  await assert.rejects(hold("ord_none"), { message: "there is no order ord_none" });
});

test("retry looks now at a unit that would have waited long", async () => {
  supplier.answers = [lost];
  const id = await shop.order([bought, 1]);
  await worker.drain();
  for (let look = 0; look < 12; look += 1) {
    shop.clock.advance(FULFILMENT_LIMITS.lookMaxMs * 2);
    await worker.drain();
  }
  supplier.answers = [sold("found at last")];
  const asked = supplier.asked.length;
  await worker.drain();
  assert.equal(supplier.asked.length, asked);
  assert.deepEqual(await retry(id), { orderId: id, status: "processing", refundHeld: false });
  await worker.drain();
  assert.deepEqual(supplier.asked.slice(asked), [`look up ${id}.0.0.1`]);
  assert.equal(await statusOf(id), "completed");
  await shop.assertHealthy();
});

test("retry leaves an order to the worker that has it, and changes no unit that has ended", async () => {
  const id = await shop.order([await shop.addStocked(1), 1], [bought, 1]);
  const before = await shop.scrip.db.rows(sql`select lease_token from order_work where order_id = ${id}`);
  supplier.buy = async () => {
    const [held] = await shop.scrip.db.rows<{ dueAt: Date; token: string }>(sql`
      select due_at as "dueAt", lease_token as token from order_work where order_id = ${id}`);
    await retry(id);
    const [still] = await shop.scrip.db.rows(sql`
      select due_at as "dueAt", lease_token as token from order_work where order_id = ${id}`);
    assert.deepEqual(still, held);
    return sold("kept");
  };
  await worker.drain();
  assert.deepEqual(before, [{ lease_token: null }]);
  assert.equal(await statusOf(id), "completed");
  await shop.assertHealthy();
});

test("retry refuses orders for which nothing can be tried, and says what can be done", async () => {
  const done = await shop.order([await shop.addStocked(1), 1]);
  await worker.drain();
  await assert.rejects(retry(done), {
    name: "RangeError",
    message: `${done} is completed: there is nothing to retry`,
  });
  supplier.answers = [refused("invalid_account")];
  const [held, paid] = [await shop.order([bought, 1]), await shop.order([bought, 1])];
  await hold(held);
  await worker.drain();
  await assert.rejects(retry(paid), { message: `${paid} is refunded: there is nothing to retry` });
  await assert.rejects(retry(held), {
    message: new RegExp(
      `^every unit of ${held} has definitively failed and its refund is on hold: .*--release"$`,
    ),
  });
  await assert.rejects(retry("ord_none"), { message: "there is no order ord_none" });
  await shop.assertHealthy();
});
