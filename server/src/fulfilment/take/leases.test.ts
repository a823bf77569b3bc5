import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller, type TestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { eventually } from "../../../testing/eventually.ts";
import { sizeFor } from "../../../testing/full-size.ts";
import {
  createScriptedSupplier,
  type ScriptedSupplier,
  sold,
} from "../../../testing/upstream/scripted-supplier.ts";
import type { Db } from "../../db/database.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";
import { returnLeases } from "./claim-queries.ts";
import { takeOrders } from "./take-orders.ts";

const { leaseMs } = FULFILMENT_LIMITS;
const ORDERS = sizeFor("soak", { share: 50, wide: 80, full: 300 });
const WORKERS = 4;

let shop: Shop;
let supplierId: string;
let bought: string;
before(async () => {
  shop = await openShop();
  supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
  await shop.scrip.db.rows(sql`update suppliers set rate_per_second = 10000 where id = ${supplierId}`);
  bought = await shop.addBought(supplierId);
});
after(() => shop.close());
beforeEach(() => shop.clock.advance(3_600_000));

const createWorker = (supplier: ScriptedSupplier, changes = {}): TestFulfiller =>
  createTestFulfiller(shop.scrip, {
    suppliers: { [supplierId]: supplier },
    limits: { batchMax: 16, inFlightMax: 16 },
    changes,
  });

/** A supplier whose answers come when the test says so. */
function createSlowSupplier(code: string) {
  const supplier = createScriptedSupplier();
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  supplier.buy = async ({ reference }) => {
    supplier.asked.push(`buy ${reference}`);
    await answered;
    return sold(code);
  };
  return { supplier, answer: () => answer() };
}

/** Takes what is due and goes on when its suppliers have been asked. */
async function stepUntilAsked(worker: TestFulfiller, supplier: ScriptedSupplier, calls: number) {
  await worker.step();
  await eventually("the calls", async () => (supplier.asked.length === calls ? true : undefined));
}

const workOf = async (orderId: string) => {
  const [row] = await shop.scrip.db.rows<{ dueAt: Date; token: string | null; claims: number }>(sql`
    select due_at as "dueAt", lease_token as token, claims from order_work where order_id = ${orderId}`);
  return row;
};
const codesOf = async (id: string): Promise<string[]> =>
  ((await shop.codesOf(id)).json().data ?? []).map(({ code }: { code: string }) => code);

test("workers that take orders at the same moment never take the same one", async () => {
  const { db } = shop.scrip;
  const ids = await Promise.all(Array.from({ length: ORDERS }, () => shop.order([bought, 1])));
  const now = shop.clock.now();
  const taken: string[] = [];
  for (let last = 1; last > 0; ) {
    const batches = await Promise.all(
      Array.from({ length: WORKERS }, () => takeOrders(db, now, 16, FULFILMENT_LIMITS)),
    );
    const round = batches.flatMap(({ orders }) => orders.map(({ order }) => order.id));
    taken.push(...round);
    last = round.length;
  }
  assert.deepEqual(taken.sort(), ids.sort());
});

test(`several workers share ${ORDERS} orders: each is settled once, and nothing is bought twice`, async () => {
  // The orders of the test before are due again by now, so that this test starts with many due orders.
  const { db } = shop.scrip;
  const stocked = await shop.addStocked(ORDERS);
  const endings: string[] = [];
  const suppliers = Array.from({ length: WORKERS }, () => createScriptedSupplier());
  const workers = suppliers.map((supplier) => {
    supplier.buy = async ({ reference }) => {
      supplier.asked.push(reference);
      await new Promise(setImmediate);
      return sold(`code of ${reference}`);
    };
    return createWorker(supplier, {
      metrics: { count: (ending: string) => void endings.push(ending), show: () => {} },
    });
  });
  const ids = await Promise.all(
    Array.from({ length: ORDERS }, (_, index) =>
      shop.order(...(index % 2 === 0 ? [[stocked, 2] as [string, number]] : []), [bought, 1 + (index % 3)]),
    ),
  );
  await Promise.all(workers.map((worker) => worker.drain()));
  const orders = await db.rows<{ status: string }>(sql`select status from orders where id = any(${ids})`);
  assert.deepEqual(new Set(orders.map(({ status }) => status)), new Set(["completed"]));
  const [all] = await db.rows<{ count: number }>(sql`select count(*)::integer as count from orders`);
  assert.deepEqual(
    endings.filter((ending) => ending !== "open"),
    Array(all?.count).fill("completed"),
  );
  const asked = suppliers.flatMap((supplier) => supplier.asked);
  assert.equal(new Set(asked).size, asked.length);
  for (const { asked: share } of suppliers) assert.ok(share.length > 0, "every worker had its share");
  await shop.assertHealthy();
});

test("the orders of a worker that died are taken up when its lease has run out, and its late answer counts for nothing", async () => {
  const { supplier: dead, answer } = createSlowSupplier("from the dead");
  const worker = createWorker(dead);
  const ids = [await shop.order([bought, 1]), await shop.order([bought, 1])];
  await stepUntilAsked(worker, dead, ids.length);
  const successor = createScriptedSupplier(sold("L-1"), sold("L-2"));
  const other = createWorker(successor);
  shop.clock.advance(leaseMs - 1);
  await other.drain();
  assert.deepEqual(successor.asked, []);
  shop.clock.advance(1);
  await other.drain();
  assert.deepEqual(successor.asked.sort(), ids.map((id) => `look up ${id}.0.0.1`).sort());
  const codes = (await Promise.all(ids.map(codesOf))).flat().sort();
  assert.deepEqual(codes, ["L-1", "L-2"]);
  answer();
  await worker.idle();
  assert.deepEqual((await Promise.all(ids.map(codesOf))).flat().sort(), codes);
  await shop.assertHealthy();
});

test("a slow order is kept as long as its worker renews the lease", async () => {
  const { supplier, answer } = createSlowSupplier("slow");
  const worker = createWorker(supplier);
  const other = createWorker(createScriptedSupplier());
  const id = await shop.order([bought, 1]);
  await stepUntilAsked(worker, supplier, 1);
  for (let third = 0; third < 9; third += 1) {
    shop.clock.advance(leaseMs / 3);
    await worker.renew();
    await other.drain();
  }
  answer();
  await worker.idle();
  assert.deepEqual(await codesOf(id), ["slow"]);
  await shop.assertHealthy();
});

test("a renewal does not take back an order that another worker has taken", async () => {
  const [first, second] = [createSlowSupplier("first"), createSlowSupplier("second")];
  const id = await shop.order([bought, 1]);
  const worker = createWorker(first.supplier);
  await stepUntilAsked(worker, first.supplier, 1);
  shop.clock.advance(leaseMs);
  second.supplier.lookUp = async () => second.supplier.buy({ reference: "", sku: "", inputFields: null });
  const other = createWorker(second.supplier);
  await stepUntilAsked(other, second.supplier, 1);
  const taken = await workOf(id);
  shop.clock.advance(10_000);
  await worker.renew();
  assert.deepEqual(await workOf(id), taken);
  first.answer();
  await worker.idle();
  assert.deepEqual(await codesOf(id), []);
  second.answer();
  await other.idle();
  assert.deepEqual(await codesOf(id), ["second"]);
  await shop.assertHealthy();
});

test("orders that are given back are due at once; those of others stay as they are", async () => {
  const { db } = shop.scrip;
  const orderIds = [await shop.order([bought, 1]), await shop.order([bought, 1])];
  const now = shop.clock.now();
  const first = await takeOrders(db, now, 1, FULFILMENT_LIMITS);
  const second = await takeOrders(db, now, 1, FULFILMENT_LIMITS);
  const [mine = "", other = ""] = [first, second].map(({ orders }) => orders[0]?.order.id);
  await returnLeases(
    db,
    orderIds.map((orderId) => ({ orderId, token: first.token })),
    now,
  );
  const leased = { dueAt: new Date(now.getTime() + leaseMs), token: second.token, claims: 1 };
  assert.deepEqual(await workOf(mine), { dueAt: now, token: null, claims: 1 });
  assert.deepEqual(await workOf(other), leased);
  await returnLeases(db, [{ orderId: other, token: second.token }], now);
  await createWorker(createScriptedSupplier(sold("G-1"), sold("G-2"))).drain();
  await shop.assertHealthy();
});

test("orders that could not be settled because the database was away are due again at once", async () => {
  // Stock is short, so the order is leased and settled in two transactions.
  const short = await shop.addStocked(1);
  const id = await shop.order([short, 2]);
  const { db } = shop.scrip;
  const away = Object.assign(new Error("terminating connection"), { code: "57P01" });
  let transactions = 0;
  const transaction: Db["transaction"] = (work) => {
    transactions += 1;
    return transactions === 1 ? db.transaction(work) : Promise.reject(away);
  };
  const broken = createWorker(createScriptedSupplier(), { db: { ...db, transaction } });
  await assert.rejects(broken.step(), away);
  assert.deepEqual(await workOf(id), { dueAt: shop.clock.now(), token: null, claims: 1 });
  await createWorker(createScriptedSupplier()).drain();
  assert.equal((await shop.read(id)).status, "completed");
});
