import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { balanceOf } from "../../../testing/builders/buyers.ts";
import { createTestFulfiller, type TestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, PRICE_MINOR, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { eventually } from "../../../testing/eventually.ts";
import { isWide } from "../../../testing/full-size.ts";
import { createRandom, SEED } from "../../../testing/seed.ts";
import {
  accepted,
  createScriptedSupplier,
  lost,
  notFound,
  refused,
  sold,
} from "../../../testing/upstream/scripted-supplier.ts";
import type { PurchaseOutcome } from "../../suppliers/supplier.ts";
import { FAILURE_CODES } from "../../suppliers/supplier.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";
import { refundOrder } from "../refund/refund-order.ts";
import { followWrittenOff } from "./follow-written-off.ts";
import { holdOrder, retryOrder } from "./hold-order.ts";

const ORDERS = 60;
const ROUNDS = isWide() ? 8 : 3;
const ACTIONS_PER_ROUND = 30;

const random = createRandom(SEED);
let shop: Shop;
let workers: TestFulfiller[];
let products: string[];
before(async () => {
  shop = await openShop();
  const ids = [
    await addSupplierRow(shop.scrip.db, { kind: "scrip" }),
    await addSupplierRow(shop.scrip.db, { kind: "scrip" }),
  ];
  await shop.scrip.db.rows(sql`update suppliers set rate_per_second = 1000`);
  products = [
    await shop.addBought(...ids),
    await shop.addBought(...ids.toReversed()),
    await shop.addStocked(80),
  ];
  const suppliers = Object.fromEntries(ids.map((id) => [id, createMoodySupplier()]));
  workers = [0, 1].map(() => createTestFulfiller(shop.scrip, { suppliers, limits: { batchMax: 8 } }));
});
after(() => shop.close());

/** While it is moody it loses, delays and refuses by chance; later it tells all that it has sold. */
let isMoody = true;
let sales = 0;
function createMoodySupplier() {
  const supplier = createScriptedSupplier();
  const known = new Map<string, PurchaseOutcome>();
  supplier.buy = async ({ reference }) => {
    await new Promise(setImmediate);
    const bought = known.get(reference);
    if (bought) return bought;
    if (isMoody && random.chance(0.15)) return lost;
    if (isMoody && random.chance(0.2)) return refused(random.pick(FAILURE_CODES));
    sales += 1;
    known.set(reference, sold(`code ${sales}`));
    return isMoody && random.chance(0.5) ? random.pick([lost, accepted]) : (known.get(reference) ?? lost);
  };
  supplier.lookUp = async (reference) => {
    await new Promise(setImmediate);
    if (isMoody && random.chance(0.4)) return lost;
    return known.get(reference) ?? notFound;
  };
  // An acceptance does not change what a purchase is known by here.
  return { ...supplier, lookUp: (reference: string) => supplier.lookUp(reference, undefined) };
}

const act = async (orderId: string): Promise<void> => {
  const { db } = shop.scrip;
  const lines = random.pick([undefined, [0], [1], [0, 1]]);
  const reason = "by the operator";
  const verb = random.pick([
    () => refundOrder(db, shop.clock, { orderId, lines, reason }),
    () => holdOrder(db, shop.clock, orderId, true),
    () => holdOrder(db, shop.clock, orderId, false),
    () => retryOrder(db, shop.clock, orderId),
  ]);
  await verb().catch((error: unknown) => {
    // What makes no sense at this moment is refused in words, never by the database.
    if (!(error instanceof RangeError)) throw error;
  });
};

const round = (ids: readonly string[], actions: number) =>
  Promise.all([
    ...workers.map((worker) => worker.drain()),
    ...workers.map((worker) => followWrittenOff(worker.deps)),
    ...Array.from({ length: actions }, async (_, turn) => {
      // Spread over the round: some before the workers start, some when they are almost done.
      for (let wait = 0; wait < turn; wait += 1) await new Promise(setImmediate);
      await act(random.pick(ids));
    }),
  ]);

test(`refunds, holds and retries at any moment of the work leave everything in order (SEED=${SEED})`, async () => {
  const { db } = shop.scrip;
  const balance = await balanceOf(db, shop.buyer);
  const ids: string[] = [];
  for (let made = 0; made < ORDERS; made += 1)
    ids.push(
      await shop.order(
        [random.pick(products), 1 + random.below(3)],
        [random.pick(products), 1 + random.below(3)],
      ),
    );
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    await round(ids, ACTIONS_PER_ROUND);
    await shop.assertHealthy();
    shop.clock.advance(random.below(60_000));
  }
  isMoody = false;
  await db.rows(sql`update suppliers set consecutive_failures = 0, open_until = null`);
  for (let turn = 0; turn < 20; turn += 1) {
    await round(ids, 0);
    shop.clock.advance(FULFILMENT_LIMITS.writtenOffLookMs / 10);
  }
  await checkEnded(balance);
  await shop.assertHealthy();
});

/** Every order has come to rest, nothing is unknown, and what was paid is what was delivered and kept. */
async function checkEnded(balance: number) {
  const { db } = shop.scrip;
  const restless = await db.rows(sql`
    select id, status from orders
    where status not in ('completed', 'refunded') and not (refund_held and status in ('failed', 'processing'))`);
  assert.deepEqual(restless, []);
  assert.deepEqual(await db.rows(sql`select order_id from supplier_attempts where status = 'open'`), []);
  const [kept] = await db.rows<{ units: number }>(sql`
    select count(*)::integer as units from order_units where status in ('delivered', 'failed')`);
  assert.equal(await balanceOf(db, shop.buyer), balance - (kept?.units ?? 0) * PRICE_MINOR);
  const [codes] = await db.rows<{ bought: number }>(sql`
    select count(*)::integer as bought from codes where state in ('delivered', 'quarantined')
      and supplier_id <> ${shop.stockSupplierId}`);
  assert.equal(codes?.bought, sales, "whatever was bought is delivered or in quarantine");
}

test("the operator takes an order's locks in the same order as a worker, so that neither waits in a circle", async () => {
  const { db } = shop.scrip;
  const id = await shop.order([products[2] ?? "", 1]);
  const verbs = [
    () => retryOrder(db, shop.clock, id),
    () => holdOrder(db, shop.clock, id, true),
    () => refundOrder(db, shop.clock, { orderId: id, lines: undefined, reason: "while it is worked on" }),
  ];
  for (const verb of verbs) {
    let done: Promise<unknown> | undefined;
    await db.transaction(async (worker) => {
      await worker.rows(sql`select from order_work where order_id = ${id} for update`);
      done = verb();
      await eventually("the operator waits", async () => {
        const waiting = await db.rows(sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
        return waiting.length > 0 ? true : undefined;
      });
      await worker.rows(sql`select from orders where id = ${id} for update nowait`);
    });
    await done;
  }
  assert.equal((await shop.read(id)).status, "refunded");
});
