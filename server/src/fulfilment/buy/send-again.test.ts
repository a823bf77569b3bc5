import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller, unitStatuses } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { eventually } from "../../../testing/eventually.ts";
import {
  createScriptedSupplier,
  notFound,
  refused,
  type ScriptedSupplier,
  sold,
} from "../../../testing/upstream/scripted-supplier.ts";
import { setEnabled } from "../../suppliers/enable-supplier.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";
import { refundOrder } from "../refund/refund-order.ts";

let shop: Shop;
let supplierId: string;
let productId: string;
let supplier: ScriptedSupplier;
before(async () => {
  shop = await openShop();
  supplierId = await addSupplierRow(shop.scrip.db, {
    kind: "scrip",
    resendAfterMs: FULFILMENT_LIMITS.arrivalMs,
  });
  productId = await shop.addBought(supplierId);
});
after(() => shop.close());
beforeEach(() => {
  supplier = createScriptedSupplier();
  // What was sold before is too old to show that the supplier's books are whole.
  shop.clock.advance(25 * 3_600_000);
});

const createWorker = (limits = {}, changes = {}) =>
  createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier }, limits, changes });

/** As if another worker had taken the order. */
const takeAway = (orderId: string) =>
  shop.scrip.db.rows(sql`update order_work set lease_token = gen_random_uuid() where order_id = ${orderId}`);
const giveBack = (orderId: string) =>
  shop.scrip.db.rows(
    sql`update order_work set lease_token = null, due_at = ${shop.clock.now()} where order_id = ${orderId}`,
  );
const attemptOf = async (orderId: string) => {
  const [row] = await shop.scrip.db.rows(sql`
    select sends, doubtful, doubted_failure_code as doubted from supplier_attempts where order_id = ${orderId}`);
  return row;
};

/** An attempt that was written by a worker which died before its answer. */
async function orderWithLostAttempt(): Promise<string> {
  const id = await shop.order([productId, 1]);
  const never = new Promise<never>(() => {});
  supplier.buy = async ({ reference }) => {
    supplier.asked.push(`buy ${reference}`);
    return never;
  };
  await createWorker().step();
  await eventually("the first send", async () => (supplier.asked.length === 1 ? true : undefined));
  supplier.asked = [];
  shop.clock.advance(FULFILMENT_LIMITS.leaseMs + FULFILMENT_LIMITS.arrivalMs);
  return id;
}

test("a unit that is refunded while others of its order are bought is not bought", async () => {
  const id = await shop.order([productId, 1], [productId, 1]);
  supplier.buy = async ({ reference }) => {
    supplier.asked.push(reference);
    // The first line keeps the order, and with it the worker's lease, alive.
    if (reference === `${id}.0.0.1`)
      await refundOrder(shop.scrip.db, shop.clock, { orderId: id, lines: [1], reason: "in between" });
    return sold(`code of ${reference}`);
  };
  await createWorker({ callsPerOrderMax: 1 }).drain();
  assert.deepEqual(supplier.asked, [`${id}.0.0.1`]);
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["delivered", "refunded"]);
});

test("a worker that lost its lease buys nothing more", async () => {
  const id = await shop.order([productId, 2]);
  supplier.buy = async ({ reference }) => {
    supplier.asked.push(reference);
    if (supplier.asked.length === 1) await takeAway(id);
    return sold(`bought ${reference}`);
  };
  supplier.lookUp = async (reference) => sold(`bought ${reference}`);
  const worker = createWorker({ callsPerOrderMax: 1 });
  await worker.step();
  await worker.idle();
  assert.deepEqual(supplier.asked, [`${id}.0.0.1`]);
  await giveBack(id);
  await worker.drain();
  assert.equal((await shop.read(id)).status, "completed");
});

test("a worker that lost its lease sends nothing again", async () => {
  const id = await orderWithLostAttempt();
  supplier.lookUp = async () => {
    await takeAway(id);
    return notFound;
  };
  supplier.buy = async ({ reference }) => {
    supplier.asked.push(`buy ${reference}`);
    return sold(`sent again ${reference}`);
  };
  const worker = createWorker();
  await worker.step();
  await worker.idle();
  assert.deepEqual(supplier.asked, []);
  assert.deepEqual(await attemptOf(id), { sends: 1, doubtful: false, doubted: null });
  await giveBack(id);
  supplier.lookUp = async (reference) => sold(`found ${reference}`);
  await worker.drain();
});

test("a refusal of what was sent again is doubted, and the doubt is stored before it is sent", async () => {
  const id = await orderWithLostAttempt();
  let stored: unknown;
  supplier.lookUp = async () => notFound;
  supplier.buy = async () => {
    stored = await attemptOf(id);
    return refused("out_of_stock");
  };
  const worker = createWorker();
  await worker.step();
  await worker.idle();
  assert.deepEqual(stored, { sends: 2, doubtful: true, doubted: null });
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["waiting"]);
  assert.deepEqual(await attemptOf(id), { sends: 2, doubtful: true, doubted: "out_of_stock" });
  shop.clock.advance(FULFILMENT_LIMITS.arrivalMs);
  supplier.lookUp = async () => sold("the first one arrived after all");
  await worker.drain();
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["delivered"]);
});

test("a supplier that was disabled is asked and sent nothing, until it is enabled again", async () => {
  const id = await orderWithLostAttempt();
  supplier.lookUp = async (reference) => {
    supplier.asked.push(`look up ${reference}`);
    return notFound;
  };
  supplier.buy = async ({ reference }) => {
    supplier.asked.push(`buy ${reference}`);
    return sold(`sent again ${reference}`);
  };
  const reference = `${id}.0.0.1`;
  await setEnabled(shop.scrip.db, shop.clock, supplierId, false);
  await createWorker().drain();
  assert.deepEqual(supplier.asked, [`look up ${reference}`]);
  assert.deepEqual(await attemptOf(id), { sends: 1, doubtful: false, doubted: null });
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["waiting"]);
  shop.clock.advance(FULFILMENT_LIMITS.lookMaxMs);
  await createWorker().drain();
  assert.deepEqual(supplier.asked, [`look up ${reference}`, `look up ${reference}`]);
  await setEnabled(shop.scrip.db, shop.clock, supplierId, true);
  shop.clock.advance(FULFILMENT_LIMITS.lookMaxMs);
  await createWorker().drain();
  assert.deepEqual(supplier.asked.slice(2), [`look up ${reference}`, `buy ${reference}`]);
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["delivered"]);
});

test("a process that was suspended after it wrote the attempt does not send it", async () => {
  const id = await shop.order([productId, 1]);
  const openSupplier = async () => {
    shop.clock.advance(FULFILMENT_LIMITS.callTimeoutMs + 1);
    return { supplier, hasFailed: false };
  };
  const worker = createWorker({}, { openSupplier });
  await worker.step();
  await worker.idle();
  assert.deepEqual(supplier.asked, []);
  assert.deepEqual(await attemptOf(id), { sends: 1, doubtful: true, doubted: null });
  supplier.lookUp = async () => sold("sent by another process");
  shop.clock.advance(60_000);
  await createWorker().drain();
});

test("a machine that slept after it wrote the attempt does not send it, although its workers' time stood still", async () => {
  const id = await shop.order([productId, 1]);
  let machineMs = 0;
  const openSupplier = async () => {
    machineMs = FULFILMENT_LIMITS.callTimeoutMs + 1;
    return { supplier, hasFailed: false };
  };
  const machineClock = { now: () => new Date(machineMs) };
  const worker = createWorker({}, { openSupplier, machineClock });
  await worker.step();
  await worker.idle();
  assert.deepEqual(supplier.asked, []);
  assert.deepEqual(await attemptOf(id), { sends: 1, doubtful: true, doubted: null });
  supplier.lookUp = async () => sold("sent by another process");
  shop.clock.advance(60_000);
  await createWorker().drain();
});

test("a supplier that could not be opened for the first send was never asked, so the unit is refunded", async () => {
  const id = await shop.order([productId, 1]);
  await createTestFulfiller(shop.scrip).drain();
  assert.equal((await shop.read(id)).status, "refunded");
});

test("nothing of this broke an invariant", () => shop.assertHealthy());
