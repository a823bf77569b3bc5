import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, balanceOf, postOrder } from "../../testing/builders/buyers.ts";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { createRandom, SEED } from "../../testing/seed.ts";
import {
  type FakeKind,
  openFake,
  SUPPLIER_KINDS,
  type SupplierFake,
  startSupplierFake,
} from "../../testing/upstream/supplier-fakes.ts";
import { SUPPLIER_FAULTS } from "../../testing/upstream/supplier-faults.ts";
import { CONDITIONS } from "../alerts/conditions.ts";
import { audit } from "../audit/audit.ts";
import { type Db, isDatabaseUnavailable } from "../db/database.ts";
import { listReversals, markKept } from "../suppliers/reconcile/reconcile-queries.ts";
import { compareStatement } from "../suppliers/reconcile/reconcile-supplier.ts";
import { refreshSupply } from "../suppliers/refresh-supply.ts";
import type { StatementEntry } from "../suppliers/supplier.ts";
import type { FulfilmentLimits } from "./limits.ts";

const ORDERS = sizeFor("chaos", { share: 20, full: 2_000 });
const PRICE_MINOR = 500;
const TIMEOUT_MS = sizeFor("chaos", { share: 400, full: 800 });
const WORKERS = 3;
/** At full size and on a busy machine it takes longer than the runner allows by default. */
const TEST_MS = sizeFor("chaos", { share: 120_000, full: 1_800_000 });

const IN_FLIGHT = sizeFor("chaos", { share: 16, full: 48 });
const LIMITS: Partial<FulfilmentLimits> = {
  leaseMs: 3_000,
  callTimeoutMs: TIMEOUT_MS,
  // What lands late lands after `landMs`; the rest is for a machine that stalls meanwhile.
  resendDelayMs: sizeFor("chaos", { share: 1_200, full: 4_000 }),
  lookFirstMs: 20,
  lookMaxMs: 400,
  breakerFailures: 1_000,
  breakerFirstMs: 20,
  breakerMaxMs: 100,
};

let scrip: TestApp;
let buyer: Buyer;

before(async () => {
  scrip = await createTestApp();
  buyer = await addBuyer(scrip, "1000000.00");
});
after(() => scrip.close());

type Shop = SupplierFake & { supplierId: string };

for (const kind of SUPPLIER_KINDS) {
  test(
    `${ORDERS} orders from a ${kind} supplier under every misfortune: none bought twice, lost, or refunded after delivery (SEED=${SEED})`,
    { timeout: TEST_MS },
    (t) => sellUnderMisfortune(t, [kind], 0),
  );
}

test(
  `${ORDERS} orders with routes between all three, and workers killed throughout (SEED=${SEED})`,
  { timeout: TEST_MS },
  (t) => sellUnderMisfortune(t, SUPPLIER_KINDS, sizeFor("chaos", { share: 3, full: 40 })),
);

async function sellUnderMisfortune(
  t: { after(end: () => Promise<void>): void },
  kinds: readonly FakeKind[],
  kills: number,
): Promise<void> {
  const productId = `card-of-${kinds.join("-")}`;
  const shops = await openShops(t, kinds, productId);
  const balance = await balanceOf(scrip.db, buyer);
  await placeOrders(productId, isTopUp(kinds));
  await workUntilDone(shops, kills);
  await assertEnded(productId);
  await assertBoughtOnce(shops);
  await assertSoldIsBooked(shops);
  await assertStatementsAgree(shops);
  const [delivered] = await scrip.db.rows<{ count: number }>(sql`
    select count(*)::integer as count from order_units u join order_lines l using (order_id, line_index)
    where l.product_id = ${productId} and u.status = 'delivered'`);
  assert.ok((delivered?.count ?? 0) > ORDERS / 2, `only ${delivered?.count} units were delivered`);
  assert.equal(await balanceOf(scrip.db, buyer), balance - PRICE_MINOR * (delivered?.count ?? 0));
  const { invariants } = await audit(scrip.db);
  assert.deepEqual(
    invariants.filter(({ ok }) => !ok),
    [],
  );
}

/** DT One alone sells top-ups. Where all three sell the same product, it sells vouchers. */
const isTopUp = (kinds: readonly FakeKind[]): boolean => kinds.every((kind) => kind === "dtone");

/** One supplier of each kind, with a route to each. Prices up to a dollar are accepted. */
async function openShops(
  t: { after(end: () => Promise<void>): void },
  kinds: readonly FakeKind[],
  productId: string,
): Promise<Shop[]> {
  const inputFields = isTopUp(kinds)
    ? [{ key: "playerId", type: "text", required: true, regex: "", options: [] }]
    : [];
  await addProducts(scrip.db, [{ id: productId, inputFields }]);
  await addListPrice(scrip.db, { productId, amountMinor: BigInt(PRICE_MINOR) });
  const shops: Shop[] = [];
  for (const [priority, kind] of kinds.entries()) {
    const shop = await startSupplierFake(kind, {
      ...{ seed: SEED + priority, table: SUPPLIER_FAULTS, noise: 0.03, tokenMs: 2_000 },
      ...{ lateMs: 2 * TIMEOUT_MS, landMs: 400 },
    });
    t.after(() => shop.fake.close());
    const supplierId = await addSupplierRow(scrip.db, { kind });
    const fieldMap = isTopUp(kinds) ? JSON.stringify({ playerId: "account_number" }) : null;
    await scrip.db.rows(sql`
      insert into supplier_routes (product_id, supplier_id, priority, cost_minor, max_cost_minor, cost_currency, sku,
                                   buy_value, field_map)
      values (${productId}, ${supplierId}, ${priority}, 80, 100, 'USD', ${shop.route.sku}, ${shop.route.value},
              ${fieldMap}::jsonb)`);
    shops.push({ ...shop, supplierId });
  }
  await scrip.db.rows(sql`update suppliers set rate_per_second = 10000`);
  await refreshSupply(scrip.db, [productId]);
  return shops;
}

async function placeOrders(productId: string, hasAccount: boolean): Promise<void> {
  const random = createRandom(SEED);
  const place = async (index: number) => {
    const quantity = random.chance(0.8) ? 1 : 2;
    const fields = hasAccount ? { inputFields: { playerId: `player-${index}` } } : {};
    const lines = [{ productId, quantity, ...fields }];
    const reply = await postOrder(scrip, buyer, `${productId}-${index}`, { lines });
    assert.equal(reply.statusCode, 202, reply.body);
  };
  const indexes = Array.from({ length: ORDERS }, (_, index) => index);
  for (let from = 0; from < ORDERS; from += 50) await Promise.all(indexes.slice(from, from + 50).map(place));
}

type Worker = ReturnType<typeof createTestFulfiller> & { kill(): void };

/** A worker that can be killed: from then on nothing that it has heard is written, whatever it has sent. */
function startWorker(shops: readonly Shop[], workers: number): Worker {
  let isKilled = false;
  const refuseIfKilled = () => {
    if (isKilled) throw new Error("the worker is dead");
  };
  const db: Db = {
    ...scrip.db,
    rows: async (...args) => {
      refuseIfKilled();
      return scrip.db.rows(...args);
    },
    transaction: async (work, ...rest) => {
      refuseIfKilled();
      return scrip.db.transaction(
        async (tx) => {
          const result = await work(tx);
          refuseIfKilled();
          return result;
        },
        ...rest,
      );
    },
  };
  const suppliers = Object.fromEntries(shops.map((shop) => [shop.supplierId, openFake(shop, TIMEOUT_MS)]));
  const worker = createTestFulfiller(scrip, {
    suppliers,
    // All workers share the connections of the test. Calls that wait long for one are not sent any more.
    limits: { ...LIMITS, inFlightMax: Math.ceil(IN_FLIGHT / workers) },
    changes: { db },
  });
  return {
    ...worker,
    kill() {
      isKilled = true;
    },
  };
}

/** As the loop of a server: on a busy machine all connections can be in use for long. */
function tryLater(error: unknown): undefined {
  if (!isDatabaseUnavailable(error)) throw error;
  return undefined;
}

async function workUntilDone(shops: readonly Shop[], kills: number): Promise<void> {
  const deadlineMs = Date.now() + sizeFor("chaos", { share: 60_000, full: 1_500_000 });
  const random = createRandom(SEED + 1);
  const count = kills > 0 ? WORKERS : 1;
  const workers = Array.from({ length: count }, () => startWorker(shops, count));
  let killsLeft = kills;
  for (let round = 1; ; round += 1) {
    await Promise.all(
      workers.map(async (worker) => {
        await worker.step().catch(tryLater);
        await worker.renew().catch(tryLater);
      }),
    );
    const rows = await scrip.db
      .rows<{ count: bigint; soonest: Date | null }>(
        sql`select count(*) as count, min(due_at) as soonest from order_work`,
      )
      .catch(tryLater);
    const left = rows?.[0] ?? { count: -1n, soonest: new Date() };
    if (!left.soonest) return;
    assert.ok(Date.now() < deadlineMs, `${left.count} orders did not end (SEED=${SEED})`);
    if (killsLeft > 0 && round % 3 === 0) {
      killsLeft -= 1;
      const [dead] = workers.splice(random.below(workers.length), 1, startWorker(shops, count));
      dead?.kill();
    }
    const waitMs = Math.min(Math.max(left.soonest.getTime() - Date.now(), 1), 50);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

async function assertEnded(productId: string): Promise<void> {
  const rows = await scrip.db.rows<{ status: string }>(sql`
    select distinct o.status from orders o join order_lines l on l.order_id = o.id where l.product_id = ${productId}`);
  const statuses = rows.map((row) => row.status).sort();
  assert.ok(
    statuses.every((status) => ["completed", "refunded"].includes(status)),
    statuses.join(),
  );
}

type AttemptRow = { unit: string; reference: string; status: string; paidMinor: bigint; unitStatus: string };

const listAttempts = (supplierId: string) =>
  scrip.db.rows<AttemptRow>(sql`
    select a.order_id || '.' || a.line_index || '.' || a.unit_index as unit,
           a.order_id || '.' || a.line_index || '.' || a.unit_index || '.' || a.number as reference, a.status,
           coalesce(a.supplier_price_minor, a.cost_minor) as "paidMinor", u.status as "unitStatus"
    from supplier_attempts a join order_units u using (order_id, line_index, unit_index)
    where a.supplier_id = ${supplierId}`);

/** At all suppliers together, no unit was paid for twice, and none that was sold was refunded as undelivered. */
async function assertBoughtOnce(shops: readonly Shop[]): Promise<void> {
  const paid = new Map<string, string>();
  for (const { supplierId, fake, keyOf, kind } of shops) {
    const sold = new Map(fake.purchases().map((purchase) => [purchase.reference, purchase]));
    for (const { unit, reference, status } of await listAttempts(supplierId)) {
      const purchase = sold.get(keyOf(reference));
      sold.delete(keyOf(reference));
      const isPaid = (purchase?.paidMinor ?? 0) > 0;
      const isBooked = status === "delivered" || status === "quarantined";
      const plan = () => fake.describe(purchase?.account ?? "");
      assert.equal(isBooked, isPaid, `${kind} ${reference} is ${status} (SEED=${SEED})\n${plan()}`);
      if (isPaid) assert.equal(paid.get(unit), undefined, `${unit} was bought twice (SEED=${SEED})`);
      if (isPaid) paid.set(unit, reference);
    }
    assert.equal(sold.size, 0, `${kind} sold what was never asked for`);
  }
}

/** What each supplier was paid is what we think it was paid. */
async function assertSoldIsBooked(shops: readonly Shop[]): Promise<void> {
  for (const { supplierId, fake, kind } of shops) {
    const paid = fake.purchases().reduce((sum, { paidMinor }) => sum + paidMinor, 0);
    const booked = (await listAttempts(supplierId))
      .filter(({ status }) => status === "delivered" || status === "quarantined")
      .reduce((sum, { paidMinor }) => sum + Number(paidMinor), 0);
    assert.equal(booked, paid, `${kind}: booked ${booked}, paid ${paid} (SEED=${SEED})`);
  }
}

/** The supplier's books match ours, but for what it then takes back; and that waits for a person. */
async function assertStatementsAgree(shops: readonly Shop[]): Promise<void> {
  const period = { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 86_400_000) };
  for (const shop of shops) {
    const taken = shop.fake.reverse().sort();
    const pages: (readonly StatementEntry[])[] = [];
    for await (const page of openFake(shop, 15_000).readStatement?.(period.from, period.to) ?? [])
      pages.push(page);
    const { supplierId, kind, keyOf } = shop;
    const report = await compareStatement(scrip, { supplierId, kind, ...period }, pages);
    const reversed = report.findings.filter((one) => one.kind === "reversal");
    const others = report.findings.filter((one) => one.kind !== "reversal");
    assert.deepEqual(others, [], `${kind}: the books differ (SEED=${SEED})`);
    assert.deepEqual(reversed.map(({ reference }) => keyOf(reference ?? "")).sort(), taken);
    assert.equal(report.newReversals, taken.length);
    const again = await compareStatement(scrip, { supplierId, kind, ...period }, pages);
    assert.equal(again.newReversals, 0, "a reversal is noted once");
  }
  const waiting = await listReversals(scrip.db, { all: false, limit: 10_000 });
  assert.ok(waiting.every(({ unitStatus }) => unitStatus === "delivered"));
  const alerts = () => scrip.db.rows(CONDITIONS.purchase_reversed.find(new Date(), 10_000));
  assert.equal((await alerts()).length, waiting.length);
  const [first] = waiting;
  if (first) await markKept(scrip.db, first, new Date());
  assert.equal((await alerts()).length, Math.max(waiting.length - 1, 0), "one that is kept needs nobody");
}
