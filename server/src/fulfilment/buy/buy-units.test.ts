import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller, unitStatuses } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { eventually } from "../../../testing/eventually.ts";
import {
  createScriptedSupplier,
  lost,
  notFound,
  type ScriptedSupplier,
  sold,
} from "../../../testing/upstream/scripted-supplier.ts";
import { followWrittenOff } from "../operate/follow-written-off.ts";
import { refundOrder } from "../refund/refund-order.ts";

const CALLS_AT_ONCE = 3;
const UNITS = 10;

let shop: Shop;
let supplierId: string;
let productId: string;
let supplier: ScriptedSupplier;
let sales: number;

before(async () => {
  shop = await openShop();
  supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip", resendAfterMs: 30_000 });
  productId = await shop.addBought(supplierId);
});
after(() => shop.close());
beforeEach(async () => {
  await shop.scrip.db.rows(sql`update suppliers set consecutive_failures = 0, open_until = null`);
  sales = 0;
  supplier = createScriptedSupplier();
  // What was sold before is too old to show that the supplier's books are whole.
  shop.clock.advance(25 * 3_600_000);
});

const createWorker = () =>
  createTestFulfiller(shop.scrip, {
    suppliers: { [supplierId]: supplier },
    limits: { callsPerOrderMax: CALLS_AT_ONCE },
  });

test("an order of many units has so many calls under way and no more, and each unit is asked for once", async () => {
  let atOnce = 0;
  let mostAtOnce = 0;
  supplier.buy = async ({ reference }) => {
    supplier.asked.push(reference);
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
    return sold(`many-${reference}`);
  };
  const id = await shop.order([productId, UNITS]);
  await createWorker().drain();
  assert.equal((await shop.read(id)).status, "completed");
  assert.equal(mostAtOnce, CALLS_AT_ONCE);
  assert.deepEqual(
    supplier.asked.sort(),
    Array.from({ length: UNITS }, (_, unit) => `${id}.0.${unit}.1`).sort(),
  );
  await shop.assertHealthy();
});

test("what is refunded while the worker is still buying is not bought any more", async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  supplier.buy = async ({ reference }) => {
    sales += 1;
    await answered;
    return sold(`late-${reference}`);
  };
  supplier.lookUp = async (reference) => sold(`late-${reference}`);
  const id = await shop.order([productId, UNITS]);
  const worker = createWorker();
  await worker.step();
  await eventually("the first calls", async () => (sales === CALLS_AT_ONCE ? true : undefined));
  await refundOrder(shop.scrip.db, shop.clock, { orderId: id, lines: undefined, reason: "changed my mind" });
  answer();
  await worker.idle();
  assert.equal(sales, CALLS_AT_ONCE);
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), [Array(UNITS).fill("refunded").join(" ")]);
  shop.clock.advance(60_000);
  while (await followWrittenOff(worker.deps));
  const codes = await shop.scrip.db.rows(sql`select state from codes where order_id = ${id}`);
  assert.deepEqual(codes, Array(CALLS_AT_ONCE).fill({ state: "quarantined" }));
  await shop.assertHealthy();
});

test("what the supplier's rate does not allow now waits, without an attempt, and is bought later", async () => {
  const { db } = shop.scrip;
  await db.rows(sql`update suppliers set rate_per_second = 4 where id = ${supplierId}`);
  supplier.buy = async ({ reference }) => {
    sales += 1;
    return sold(`slow-${reference}`);
  };
  const id = await shop.order([productId, UNITS]);
  const worker = createWorker();
  const seen: number[] = [];
  for (let second = 0; second < 3; second += 1) {
    await worker.drain();
    const attempts = await db.rows(sql`select from supplier_attempts where order_id = ${id}`);
    assert.equal(attempts.length, sales);
    seen.push(sales);
    shop.clock.advance(1_000);
  }
  assert.deepEqual(seen, [4, 8, 10]);
  assert.equal((await shop.read(id)).status, "completed");
  await db.rows(sql`update suppliers set rate_per_second = 50 where id = ${supplierId}`);
  await shop.assertHealthy();
});

test("a supplier that cannot be asked any more leaves what was sent to it unknown until it can", async () => {
  supplier.answers = [lost];
  const id = await shop.order([productId, 1]);
  await createWorker().drain();
  shop.clock.advance(60_000);
  await createTestFulfiller(shop.scrip).drain();
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["waiting"]);
  supplier.answers = [{ kind: "not_found" }, sold("asked at last")];
  shop.clock.advance(60_000);
  await createWorker().drain();
  assert.equal((await shop.read(id)).status, "completed");
  assert.deepEqual(supplier.asked.slice(1), [`look up ${id}.0.0.1`, `buy ${id}.0.0.1`]);
  await shop.assertHealthy();
});

test("what is refunded while the supplier is asked about it is not sent again", async () => {
  const id = await shop.order([productId, 1], [productId, 1]);
  supplier.answers = [{ kind: "unknown", reason: "timeout" }];
  const worker = createWorker();
  await worker.drain();
  shop.clock.advance(60_000);
  supplier.asked = [];
  supplier.lookUp = async (reference) => {
    supplier.asked.push(`look up ${reference}`);
    // The other line keeps the order, and with it the worker's lease, alive.
    if (reference === `${id}.0.0.1`)
      await refundOrder(shop.scrip.db, shop.clock, { orderId: id, lines: [0], reason: "in between" });
    return { kind: "not_found" };
  };
  supplier.buy = async ({ reference }) => {
    supplier.asked.push(`buy ${reference}`);
    return sold(`again ${reference}`);
  };
  await worker.drain();
  assert.deepEqual(supplier.asked.toSorted(), [
    `buy ${id}.1.0.1`,
    `look up ${id}.0.0.1`,
    `look up ${id}.1.0.1`,
  ]);
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["refunded", "delivered"]);
  await shop.assertHealthy();
});

test("a look-up says which product and face value were asked for, so that others are noticed", async () => {
  const { db } = shop.scrip;
  const valued = await shop.addBought(supplierId);
  await db.rows(sql`update supplier_routes set buy_value = '25.00' where product_id = ${valued}`);
  const asked: unknown[] = [];
  supplier.answers = [lost];
  supplier.lookUp = async (reference, _upstreamId, goods) => {
    asked.push(goods);
    return sold(`valued-${reference}`);
  };
  const id = await shop.order([valued, 1]);
  const worker = createWorker();
  await worker.drain();
  shop.clock.advance(60_000);
  await worker.drain();
  assert.equal((await shop.read(id)).status, "completed");
  const [route] = await db.rows<{ sku: string }>(
    sql`select sku from supplier_routes where product_id = ${valued}`,
  );
  assert.deepEqual(asked, [{ sku: route?.sku, value: "25.00", inputFields: null }]);
});

test("no look-up closes the breaker: that the supplier can be read does not mean that it sells", async () => {
  const { db } = shop.scrip;
  const failures = async () =>
    (await db.rows(sql`select consecutive_failures as failures from suppliers where id = ${supplierId}`))[0];
  supplier.answers = [lost, notFound, sold("at last")];
  const id = await shop.order([productId, 1]);
  const worker = createWorker();
  await worker.drain();
  assert.deepEqual(await failures(), { failures: 1 });
  shop.clock.advance(2 * worker.deps.limits.lookFirstMs);
  await worker.drain();
  assert.deepEqual(supplier.asked, [`buy ${id}.0.0.1`, `look up ${id}.0.0.1`]);
  assert.deepEqual(await failures(), { failures: 1 });
  shop.clock.advance(worker.deps.limits.arrivalMs);
  await worker.drain();
  assert.equal((await shop.read(id)).status, "completed");
  assert.deepEqual(await failures(), { failures: 1 });
  supplier.answers = [sold("at once")];
  await shop.order([productId, 1]);
  await worker.drain();
  assert.deepEqual(await failures(), { failures: 0 });
});

test("an answer with a status that HTTP does not have costs nothing: what was sold with it is delivered", async () => {
  for (const httpStatus of [0, 99, 999]) {
    supplier.answers = [{ ...sold(`beside ${httpStatus}`) }, { ...lost, said: { httpStatus } }];
    const id = await shop.order([productId, 2]);
    await createWorker().drain();
    const { status, lines } = await shop.read(id);
    assert.deepEqual([status, lines[0]?.fulfilledQuantity], ["processing", 1]);
    const kept = await shop.scrip.db.rows(sql`
      select send_http_status as status from supplier_attempts where order_id = ${id} and status = 'open'`);
    assert.deepEqual(kept, [{ status: null }]);
  }
  await shop.assertHealthy();
});

test("nothing is bought when two input fields have one name at the supplier", async () => {
  const { db } = shop.scrip;
  const topUp = await shop.addBought(supplierId);
  await db.rows(
    sql`update supplier_routes set field_map = '{"playerId": "account"}' where product_id = ${topUp}`,
  );
  const heard: unknown[] = [];
  supplier.buy = async ({ reference, inputFields }) => {
    heard.push(inputFields);
    return sold(`topped-${reference}`);
  };
  const order = async (fields: object) => {
    const id = await shop.order([topUp, 1]);
    await db.rows(
      sql`update order_lines set input_fields = ${JSON.stringify(fields)}::jsonb where order_id = ${id}`,
    );
    await createWorker().drain();
    return (await shop.read(id)).status;
  };
  assert.equal(await order({ playerId: "p-1", zone: "eu" }), "completed");
  assert.equal(await order({ playerId: "p-1", account: "a-1" }), "refunded");
  assert.deepEqual(heard, [{ account: "p-1", zone: "eu" }]);
});
