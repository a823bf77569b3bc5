import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, postOrder } from "../../testing/builders/buyers.ts";
import { addStock, createTestFulfiller, type TestFulfiller } from "../../testing/builders/fulfilment.ts";
import { addRouteRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { keepPlans } from "../../testing/database/keep-plans.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { createHandClock, type HandClock } from "../../testing/hand-clock.ts";
import { createRandom, SEED } from "../../testing/seed.ts";
import { accepted, lost, notFound, refused, sold } from "../../testing/upstream/scripted-supplier.ts";
import { followWrittenOff } from "../fulfilment/operate/follow-written-off.ts";
import { holdOrder, retryOrder } from "../fulfilment/operate/hold-order.ts";
import { refundOrder } from "../fulfilment/refund/refund-order.ts";
import type { LookUpOutcome, PurchaseOutcome, RemoteSupplier } from "../suppliers/supplier.ts";
import { audit } from "./audit.ts";

const STEPS = sizeFor("fuzz", { share: 20, wide: 40, full: 120 });
const DAY_MS = 86_400_000;
const PRODUCTS = ["bought", "stocked"];

const random = createRandom(SEED);
let clock: HandClock;
let scrip: TestApp;
let buyer: Buyer;
let worker: TestFulfiller;
let placed = 0;
let codes = 0;

before(async () => {
  clock = createHandClock();
  scrip = await createTestApp({ clock });
  buyer = await addBuyer(scrip, "100000.00");
  await addProducts(
    scrip.db,
    PRODUCTS.map((id) => ({ id })),
  );
  for (const productId of PRODUCTS) await addListPrice(scrip.db, { productId, amountMinor: 700n });
  const suppliers: Record<string, RemoteSupplier> = {};
  for (const priority of [2, 3]) {
    const supplierId = await addSupplierRow(scrip.db, { kind: "scrip" });
    suppliers[supplierId] = { buy: async () => answer(), lookUp: async () => lookedUp() };
    for (const productId of PRODUCTS) await addRouteRow(scrip.db, { productId, supplierId, priority });
  }
  const supplierId = await addSupplierRow(scrip.db);
  await addRouteRow(scrip.db, { productId: "stocked", supplierId, priority: 1 });
  const goods = Array.from({ length: 30 }, (_, n) => ({ type: "code" as const, code: `STOCK-${n}` }));
  await addStock(scrip, { productId: "stocked", supplierId, goods });
  worker = createTestFulfiller(scrip, { suppliers });
});

after(() => scrip.close());

/** A supplier with every kind of outcome. Occasionally it sells a code twice. */
function answer(): PurchaseOutcome {
  if (random.chance(0.4)) return sold(`CODE-${random.chance(0.2) ? random.below(codes + 1) : codes++}`);
  return random.pick([accepted, lost, lost, refused("out_of_stock"), refused("invalid_account")]);
}
const lookedUp = (): LookUpOutcome => (random.chance(0.2) ? notFound : answer());

async function place(): Promise<void> {
  placed += 1;
  const lines = Array.from({ length: 1 + random.below(2) }, () => ({
    productId: random.pick(PRODUCTS),
    quantity: 1 + random.below(3),
  }));
  assert.equal((await postOrder(scrip, buyer, `order-${placed}`, { lines })).statusCode, 202);
}

async function anyOrder(): Promise<string> {
  const rows = await scrip.db.rows<{ id: string }>(sql`select id from orders order by id`);
  return random.pick(rows).id;
}

async function step(): Promise<void> {
  clock.advance(random.pick([0, 500, 5_000, 60_000]));
  await worker.step();
  await worker.idle();
}

async function refund(): Promise<void> {
  const lines = random.chance(0.5) ? undefined : [0];
  await refundOrder(scrip.db, clock, { orderId: await anyOrder(), lines, reason: "asked for" });
}

const ACTIONS: readonly (() => Promise<unknown>)[] = [
  place,
  place,
  step,
  step,
  step,
  step,
  refund,
  async () => holdOrder(scrip.db, clock, await anyOrder(), true),
  async () => holdOrder(scrip.db, clock, await anyOrder(), random.chance(0.3)),
  async () => retryOrder(scrip.db, clock, await anyOrder()),
  () => followWrittenOff(worker.deps),
];

async function assertHealthy(when: string): Promise<void> {
  const { invariants } = await audit(keepPlans(scrip.db));
  assert.deepEqual(
    invariants.filter(({ ok }) => !ok),
    [],
    `${when} (SEED=${SEED})`,
  );
}

test("the audit passes after every step, for any supplier responses and operator actions", async () => {
  await place();
  for (let n = 0; n < STEPS; n += 1) {
    const action = random.pick(ACTIONS);
    // An action that is not possible in this state is refused and changes nothing.
    await action().catch((error) => assert.ok(error instanceof RangeError, error));
    await assertHealthy(`after step ${n}: ${action.name || action}`);
  }
  for (let n = 0; n < 20; n += 1) {
    clock.advance(DAY_MS);
    await worker.drain();
    await followWrittenOff(worker.deps);
  }
  await assertHealthy("at the end");
  const open = await scrip.db.rows(
    sql`select id from orders where status in ('pending', 'processing') and not refund_held`,
  );
  assert.deepEqual(open, [], `SEED=${SEED}`);
});
