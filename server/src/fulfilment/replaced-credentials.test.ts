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

const ORDERS = sizeFor("chaos", { share: 16, full: 400 });
const PRODUCT = "card";
/** A busy machine takes this long, and a token that ends before it is used would never buy anything. */
const TIMEOUT_MS = 2_000;
const TOKEN_MS = 1_000;
/** How often each supplier wants another secret. */
const TURNS = sizeFor("chaos", { share: 3, full: 30 });
const TEST_MS = sizeFor("chaos", { share: 120_000, full: 1_200_000 });
/** Looking more often would take the time of those who work. */
const PATIENCE = { deadlineMs: TEST_MS, everyMs: 100 };
const KINDS = ["reloadly", "dtone"] as const;

let scrip: TestApp;
let buyer: Buyer;
let shops: (SupplierFake & { supplierId: string })[];

before(async () => {
  scrip = await createTestApp();
  buyer = await addBuyer(scrip, "100000.00");
  await addProducts(scrip.db, [{ id: PRODUCT }]);
  await addListPrice(scrip.db, { productId: PRODUCT, amountMinor: 500n });
  shops = await Promise.all(
    KINDS.map(async (kind, priority) => {
      // Tokens end all the time, and answers are lost.
      const fake = await startSupplierFake(kind, {
        seed: SEED + priority,
        noise: 0.1,
        tokenMs: TOKEN_MS,
        landMs: 200,
      });
      const supplierId = await addSupplierRow(scrip.db, { kind });
      const sealed = sealSupplierConfig(scrip.keyring, supplierId, fake.config());
      await scrip.db.rows(sql`
        update suppliers set sealed_config = ${sealed}, rate_per_second = 10000 where id = ${supplierId}`);
      await scrip.db.rows(sql`
        insert into supplier_routes (product_id, supplier_id, priority, sku, buy_value)
        values (${PRODUCT}, ${supplierId}, ${priority}, ${fake.route.sku}, ${fake.route.value})`);
      return { ...fake, supplierId };
    }),
  );
  await refreshSupply(scrip.db, [PRODUCT]);
});
after(async () => {
  await Promise.all(shops.map(({ fake }) => fake.close()));
  await scrip.close();
});

test(`credentials are revoked, replaced and expire during ${ORDERS} orders: none bought twice, none lost (SEED=${SEED})`, {
  timeout: TEST_MS,
}, async (t) => {
  const { db, keyring } = scrip;
  const suppliers = createOpenSuppliers({ db, keyring, timeoutMs: TIMEOUT_MS });
  const limits = {
    resendDelayMs: 2_500,
    lookFirstMs: 20,
    lookMaxMs: 200,
    breakerFailures: 10_000,
    callTimeoutMs: TIMEOUT_MS,
    pollMs: 20,
  };
  const { deps } = createTestFulfiller(scrip, { limits, changes: { openSupplier: suppliers.open } });
  const lines = [{ productId: PRODUCT, quantity: 1 }];
  for (let index = 0; index < ORDERS; index += 1)
    assert.equal((await postOrder(scrip, buyer, `order-${index}`, { lines })).statusCode, 202);
  const worker = runFulfilment(deps);
  try {
    for (let turn = 1; turn <= TURNS; turn += 1) await turnCredentials(turn);
    await eventually(`no order is left (SEED=${SEED})`, async () => (await isDone()) || undefined, PATIENCE);
  } finally {
    await worker.stop(5 * TIMEOUT_MS);
    await suppliers.close();
  }
  const turnedAway = shops.map(({ kind, fake }) => `${kind} ${fake.turnedAway()}`).join(", ");
  t.diagnostic(`${TURNS} turns of the credentials; turned away: ${turnedAway}`);
  assert.ok(shops.some(({ fake }) => fake.turnedAway() > 0));
  await assertBooks();
  const { invariants } = await audit(db);
  assert.deepEqual(
    invariants.filter(({ ok }) => !ok),
    [],
  );
});

const isDone = async (): Promise<boolean> => (await countUnended(scrip)) === 0;

/** The suppliers want another secret. The operator enters it after some calls were turned away, and some more are made with it. */
async function turnCredentials(turn: number): Promise<void> {
  for (const { logins, config, supplierId, kind, fake } of shops) {
    const secretText = `${kind}-secret-${turn}`;
    const before = fake.turnedAway();
    logins.accepted = [secretText];
    const wasTurnedAway = async () => fake.turnedAway() > before || (await isDone()) || undefined;
    await eventually("a call is turned away", wasTurnedAway, PATIENCE);
    await changeSupplier(scrip, supplierId, {
      name: undefined,
      ratePerSecond: undefined,
      config: config(secretText),
    });
    const sold = fake.calls().length;
    const wasCalled = async () => fake.calls().length > sold || (await isDone()) || undefined;
    await eventually("a call is answered", wasCalled, PATIENCE);
  }
}

/** Each unit was paid for at most once, at one supplier, and exactly if it was delivered or is in quarantine. */
async function assertBooks(): Promise<void> {
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
  assert.ok(bought.size > ORDERS / 4, `only ${bought.size} were bought`);
}
