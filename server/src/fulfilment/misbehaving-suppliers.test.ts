import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, balanceOf, postOrder } from "../../testing/builders/buyers.ts";
import { createTestFulfiller, type TestFulfiller } from "../../testing/builders/fulfilment.ts";
import { addRouteRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { eventually } from "../../testing/eventually.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { createRandom, SEED } from "../../testing/seed.ts";
import { type FakeUpstream, startFakeUpstream } from "../../testing/upstream/fake-upstream.ts";
import { audit } from "../audit/audit.ts";
import { isDatabaseUnavailable } from "../db/database-errors.ts";
import { secret } from "../lib/secret.ts";
import { createScripSupplier } from "../suppliers/scrip/scrip-supplier.ts";
import type { FulfilmentLimits } from "./limits.ts";
import { runFulfilment } from "./run-fulfilment.ts";

const ORDERS = sizeFor("chaos", { share: 100, full: 2_000 });
const PLACED_AT_ONCE = sizeFor("chaos", { share: 20, full: 50 });
const PRICE_MINOR = 500;
const PRODUCT = "account-card";
/** Nobody sells it, so that whatever the seed an order is refunded. */
const GONE = "gone-card";
const TIMEOUT_MS = 400;
/** Looking more often would take the time of those who work. */
const PATIENCE = { deadlineMs: 240_000, everyMs: 100 };

/** Everything goes fast here, and in the same proportions: nothing is believed before it has had time to arrive. */
const LIMITS: Partial<FulfilmentLimits> = {
  leaseMs: 5_000,
  pollMs: 20,
  // Twice as many as the test's pool has connections. More wait longer for the same ones, and meet nothing new.
  inFlightMax: sizeFor("chaos", { share: 16, full: 48 }),
  callTimeoutMs: TIMEOUT_MS,
  // What lands late lands 1.4 s after it was asked for; the rest is for a machine that stalls meanwhile.
  arrivalMs: 4_000,
  lookFirstMs: 20,
  lookMaxMs: 400,
  breakerFailures: 30,
  breakerFirstMs: 20,
  breakerMaxMs: 100,
};

let scrip: TestApp;
let buyer: Buyer;
let upstreams: FakeUpstream[];
let worker: TestFulfiller;

before(async () => {
  scrip = await createTestApp();
  buyer = await addBuyer(scrip, "100000.00");
  const inputFields = [{ key: "account", type: "text", required: true, regex: "", options: [] }];
  await addProducts(scrip.db, [{ id: PRODUCT, inputFields }, { id: GONE }]);
  for (const productId of [PRODUCT, GONE])
    await addListPrice(scrip.db, { productId, amountMinor: BigInt(PRICE_MINOR) });
  upstreams = await Promise.all(
    [0, 1].map((index) =>
      startFakeUpstream({ seed: SEED + index, noise: 0.05, lateMs: 2 * TIMEOUT_MS, landMs: 600 }),
    ),
  );
  const suppliers = await Promise.all(
    upstreams.map(async ({ baseUrl, apiKey }, priority) => {
      const supplierId = await addSupplierRow(scrip.db, { kind: "scrip" });
      await addRouteRow(scrip.db, { productId: PRODUCT, supplierId, priority });
      const supplier = createScripSupplier({ baseUrl, apiKey: secret(apiKey), timeoutMs: TIMEOUT_MS });
      return [supplierId, supplier] as const;
    }),
  );
  await scrip.db.rows(sql`update suppliers set rate_per_second = 10000`);
  worker = createTestFulfiller(scrip, { suppliers: Object.fromEntries(suppliers), limits: LIMITS });
});
after(async () => {
  await Promise.all(upstreams.map((upstream) => upstream.close()));
  await scrip.close();
});

test(`${ORDERS} orders from suppliers that lose, delay, repeat and lie: each unit bought once at most, every order ends (SEED=${SEED})`, async () => {
  const balance = await balanceOf(scrip.db, buyer);
  const orders = await placeOrders();
  const gone = await postOrder(scrip, buyer, "gone", { lines: [{ productId: GONE, quantity: 1 }] });
  assert.equal(gone.statusCode, 202, gone.body);
  await workUntilDone();
  await assertOrdersEnded();
  assertBoughtOnce();
  await assertDeliveredWasSold(orders);
  await assertMoneyAddsUp(balance);
  const { invariants } = await audit(scrip.db);
  assert.deepEqual(
    invariants.filter(({ ok }) => !ok),
    [],
  );
});

/** Each order has an account of its own, by which the upstreams' faults are drawn. */
async function placeOrders(): Promise<Map<string, string>> {
  const random = createRandom(SEED);
  const orders = new Map<string, string>();
  const place = async (index: number, quantity: number) => {
    const lines = [{ productId: PRODUCT, quantity, inputFields: { account: `n-${index}` } }];
    const reply = await postOrder(scrip, buyer, `order-${index}`, { lines });
    assert.equal(reply.statusCode, 202, reply.body);
    orders.set(reply.json().order.id, `n-${index}`);
  };
  for (let index = 0; index < ORDERS; index += PLACED_AT_ONCE) {
    const quantities = Array.from({ length: PLACED_AT_ONCE }, () =>
      random.chance(0.8) ? 1 : 2 + random.below(2),
    );
    await Promise.all(quantities.map((quantity, offset) => place(index + offset, quantity)));
  }
  return orders;
}

/** The server's own loop works until no order is left. No refund is paid for what is still unknown. */
async function workUntilDone(): Promise<void> {
  const running = runFulfilment(worker.deps);
  const look = async () => {
    const [unpaid] = await scrip.db.rows(sql`
      select u.order_id from order_units u
      join supplier_attempts a using (order_id, line_index, unit_index)
      where a.status = 'open' and u.status <> 'waiting' limit 1`);
    assert.equal(unpaid, undefined, `a unit ended while its purchase was unknown (SEED=${SEED})`);
    const [left] = await scrip.db.rows<{ count: number }>(
      sql`select count(*)::integer as count from order_work`,
    );
    return left?.count === 0 ? true : undefined;
  };
  const lookAgain = () =>
    look().catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error;
      return undefined;
    });
  await eventually(`every order ends (SEED=${SEED})`, lookAgain, PATIENCE).finally(() =>
    running.stop(10 * TIMEOUT_MS),
  );
}

async function assertOrdersEnded(): Promise<void> {
  const rows = await scrip.db.rows<{ status: string }>(sql`select distinct status from orders`);
  const statuses = rows.map((row) => row.status).sort();
  assert.deepEqual(statuses, ["completed", "refunded"]);
}

/** At both upstreams together: what was refunded there was not bought in the end. */
function assertBoughtOnce(): void {
  const bought = new Map<string, string[]>();
  for (const purchase of upstreams.flatMap((upstream) => upstream.purchases())) {
    if (purchase.state === "refunded" || purchase.state === "failed") continue;
    const unit = `${purchase.account} ${purchase.unit.replace(/\.\d+$/, "")}`;
    bought.set(unit, [...(bought.get(unit) ?? []), purchase.reference]);
  }
  const twice = [...bought].filter(([, references]) => references.length > 1);
  const plans = twice.map(([unit]) =>
    upstreams.map((one) => one.describe(unit.split(" ")[0] ?? "")).join("\n"),
  );
  assert.deepEqual(twice, [], `bought twice (SEED=${SEED}):\n${plans.join("\n\n")}`);
}

/** Every code that a reseller reads was sold for that unit and no other. */
async function assertDeliveredWasSold(orders: ReadonlyMap<string, string>): Promise<void> {
  const sold = new Map(
    upstreams
      .flatMap((upstream) => upstream.purchases())
      .map((purchase) => [purchase.reference, purchase] as const),
  );
  const delivered = await scrip.db.rows<{ orderId: string; reference: string }>(sql`
    select order_id as "orderId",
           order_id || '.' || line_index || '.' || unit_index || '.' || number as reference
    from codes join supplier_attempts a using (order_id, line_index, unit_index)
    where codes.state = 'delivered' and a.status = 'delivered' order by order_id, line_index, unit_index`);
  const references = Map.groupBy(delivered, ({ orderId }) => orderId);
  const seen = new Set<string>();
  for (const id of orders.keys()) {
    const reply = await scrip.call("GET", `/v1/orders/${id}/codes`, { key: buyer.key });
    if (reply.statusCode === 409) continue;
    const codes: { lineIndex: number; code: string }[] = reply.json().data;
    for (const [index, { code }] of codes.entries()) {
      assert.ok(!seen.has(code), `a code was delivered twice (SEED=${SEED})`);
      seen.add(code);
      const purchase = sold.get(references.get(id)?.[index]?.reference ?? "");
      assert.equal(purchase?.code, code, `a code was delivered to another unit (SEED=${SEED})`);
    }
  }
  assert.ok(seen.size > ORDERS / 2, `only ${seen.size} codes were delivered`);
}

/** What was paid is what was delivered. */
async function assertMoneyAddsUp(balance: number): Promise<void> {
  const [delivered] = await scrip.db.rows<{ count: bigint }>(
    sql`select count(*) as count from order_units where status = 'delivered'`,
  );
  assert.equal(await balanceOf(scrip.db, buyer), balance - PRICE_MINOR * Number(delivered?.count));
}
