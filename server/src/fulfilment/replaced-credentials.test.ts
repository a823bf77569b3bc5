import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, postOrder } from "../../testing/builders/buyers.ts";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { eventually } from "../../testing/eventually.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { SEED } from "../../testing/seed.ts";
import { countUnended } from "../../testing/upstream/sales/shops.ts";
import { type SupplierFake, startSupplierFake } from "../../testing/upstream/supplier-fakes.ts";
import { audit } from "../audit/audit.ts";
import { changeSupplier } from "../suppliers/change-supplier.ts";
import { createOpenSuppliers } from "../suppliers/open-suppliers.ts";
import { refreshSupply } from "../suppliers/refresh-supply.ts";
import { sealSupplierConfig } from "../suppliers/supplier-config.ts";
import { runFulfilment } from "./run-fulfilment.ts";

/** A busy machine takes this long, and a token that ends before it is used would never buy anything. */
const TIMEOUT_MS = 2_000;
const TOKEN_MS = 1_000;
/** The books lag less than this. */
const LAG_MS = 2_500;
/** How often each supplier wants another secret. */
const TURNS = sizeFor("chaos", { share: 3, full: 30 });
/** Placed at once when a supplier wants another secret. More follow one by one until it has turned one away. */
const ORDERS_PER_TURN = sizeFor("chaos", { share: 2, full: 6 });
/** Placed for each supplier after the last turn. */
const LAST_ORDERS = 4;
const TEST_MS = sizeFor("chaos", { share: 120_000, full: 1_200_000 });
/** Looking more often would take the time of those who work. */
const PATIENCE = { deadlineMs: TEST_MS, everyMs: 100 };
const KINDS = ["reloadly", "dtone"] as const;

/** Each is the first choice for a product of its own, and the second for the other's. */
type Shop = SupplierFake & { supplierId: string; productId: string };

let scrip: TestApp;
let buyer: Buyer;
let shops: Shop[];
let placed = 0;

before(async () => {
  scrip = await createTestApp();
  buyer = await addBuyer(scrip, "100000.00");
  shops = await Promise.all(
    KINDS.map(async (kind, index) => {
      // Tokens end all the time, and answers are lost.
      const fake = await startSupplierFake(kind, {
        seed: SEED + index,
        noise: 0.1,
        tokenMs: TOKEN_MS,
        landMs: 200,
      });
      const supplierId = await addSupplierRow(scrip.db, { kind });
      const sealed = sealSupplierConfig(scrip.keyring, supplierId, fake.config());
      await scrip.db.rows(sql`
        update suppliers set sealed_config = ${sealed}, rate_per_second = 10000, resend_after_ms = ${LAG_MS} where id = ${supplierId}`);
      return { ...fake, supplierId, productId: `${kind}-card` };
    }),
  );
  await Promise.all(shops.map(addProduct));
});
after(async () => {
  await Promise.all(shops.map(({ fake }) => fake.close()));
  await scrip.close();
});

async function addProduct({ productId, supplierId: first }: Shop): Promise<void> {
  await addProducts(scrip.db, [{ id: productId }]);
  await addListPrice(scrip.db, { productId, amountMinor: 500n });
  for (const { supplierId, route } of shops)
    await scrip.db.rows(sql`
      insert into supplier_routes (product_id, supplier_id, priority, sku, buy_value)
      values (${productId}, ${supplierId}, ${supplierId === first ? 0 : 1}, ${route.sku}, ${route.value})`);
  await refreshSupply(scrip.db, [productId]);
}

test(`credentials are revoked, replaced and expire while orders are bought: none twice, none lost (SEED=${SEED})`, {
  timeout: TEST_MS,
}, async (t) => {
  const { db, keyring } = scrip;
  const suppliers = createOpenSuppliers({ db, keyring, timeoutMs: TIMEOUT_MS });
  const limits = {
    arrivalMs: 2_500,
    lookFirstMs: 20,
    lookMaxMs: 200,
    breakerFailures: 10_000,
    callTimeoutMs: TIMEOUT_MS,
    pollMs: 20,
  };
  const { deps } = createTestFulfiller(scrip, { limits, changes: { openSupplier: suppliers.open } });
  const worker = runFulfilment(deps);
  const last: string[] = [];
  try {
    for (let turn = 1; turn <= TURNS; turn += 1)
      for (const shop of shops) await turnCredentials(shop, `secret-${turn}`);
    for (const shop of shops)
      for (let count = 0; count < LAST_ORDERS; count += 1) last.push(await place(shop));
    const isDone = async () => (await countUnended(scrip)) === 0 || undefined;
    await eventually(`no order is left (SEED=${SEED})`, isDone, PATIENCE);
  } finally {
    await worker.stop(5 * TIMEOUT_MS);
    await suppliers.close();
  }
  const turnedAway = shops.map(({ kind, fake }) => `${kind} ${fake.turnedAway()}`).join(", ");
  const bought = await assertBooks();
  t.diagnostic(
    `${TURNS} turns of the credentials; turned away: ${turnedAway}; ${bought.size} of ${placed} bought`,
  );
  // Both sell again. They refuse few for reasons of their own.
  const soldLast = last.filter((id) => bought.has(id)).length;
  assert.ok(soldLast > last.length / 2, `only ${soldLast} of the last ${last.length} were bought`);
  const { invariants } = await audit(db);
  assert.deepEqual(
    invariants.filter(({ ok }) => !ok),
    [],
  );
});

/**
 * A supplier wants another secret. The operator enters it when a call was turned away, and a call is answered with it. Orders
 * come all the while, because a token that was given for the old secret still buys until it ends.
 */
async function turnCredentials(shop: Shop, secretText: string): Promise<void> {
  const { logins, config, supplierId, fake } = shop;
  const turnedAway = fake.turnedAway();
  logins.accepted = [secretText];
  for (let count = 0; count < ORDERS_PER_TURN; count += 1) await place(shop);
  await eventually(
    "a call is turned away",
    () => orderUntil(shop, () => fake.turnedAway() > turnedAway),
    PATIENCE,
  );
  await changeSupplier(scrip, supplierId, {
    name: undefined,
    ratePerSecond: undefined,
    config: config(secretText),
  });
  const calls = fake.calls().length;
  await eventually("a call is answered", () => orderUntil(shop, () => fake.calls().length > calls), PATIENCE);
}

async function orderUntil(shop: Shop, isReached: () => boolean): Promise<true | undefined> {
  if (isReached()) return true;
  await place(shop);
  return undefined;
}

async function place({ productId }: Shop): Promise<string> {
  const reply = await postOrder(scrip, buyer, `order-${placed}`, { lines: [{ productId, quantity: 1 }] });
  assert.equal(reply.statusCode, 202);
  placed += 1;
  return reply.json().order.id;
}

/** Each unit was paid for at most once, at one supplier, and exactly if it was delivered or is in quarantine. Answers what was bought. */
async function assertBooks(): Promise<ReadonlyMap<string, number>> {
  const bought = new Map<string, number>();
  for (const { supplierId, fake, keyOf } of shops) {
    const paid = new Set(fake.purchases().flatMap((one) => (one.paidMinor > 0 ? [one.reference] : [])));
    const attempts = await scrip.db.rows<{ unit: string; reference: string; isBooked: boolean }>(sql`
      select order_id as unit, order_id || '.' || line_index || '.' || unit_index || '.' || number as reference,
             status in ('delivered', 'quarantined') as "isBooked"
      from supplier_attempts where supplier_id = ${supplierId}`);
    for (const { unit, reference, isBooked } of attempts) {
      assert.equal(
        isBooked,
        paid.delete(keyOf(reference)),
        `${reference} (SEED=${SEED})\n${fake.describe(reference)}`,
      );
      if (isBooked) bought.set(unit, (bought.get(unit) ?? 0) + 1);
    }
    assert.equal(paid.size, 0, "nothing was sold that we do not know");
  }
  assert.ok([...bought.values()].every((count) => count === 1));
  return bought;
}
