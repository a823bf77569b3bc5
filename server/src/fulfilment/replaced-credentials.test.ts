import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, postOrder } from "../../testing/builders/buyers.ts";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { SEED } from "../../testing/seed.ts";
import { type SupplierFake, startSupplierFake } from "../../testing/upstream/supplier-fakes.ts";
import { audit } from "../audit/audit.ts";
import { changeSupplier } from "../suppliers/change-supplier.ts";
import { createOpenSuppliers } from "../suppliers/open-suppliers.ts";
import { refreshSupply } from "../suppliers/refresh-supply.ts";
import { sealSupplierConfig } from "../suppliers/supplier-config.ts";

const ORDERS = sizeFor("chaos", { share: 16, full: 400 });
const PRODUCT = "card";
const TIMEOUT_MS = 600;
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
        tokenMs: 300,
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

test(`credentials are revoked, replaced and expire during ${ORDERS} orders: none bought twice, none lost (SEED=${SEED})`, async () => {
  const { db, keyring } = scrip;
  const suppliers = createOpenSuppliers({ db, keyring, timeoutMs: TIMEOUT_MS });
  const limits = {
    resendDelayMs: 800,
    lookFirstMs: 20,
    lookMaxMs: 200,
    breakerFailures: 10_000,
    callTimeoutMs: TIMEOUT_MS,
  };
  const worker = createTestFulfiller(scrip, { limits, changes: { openSupplier: suppliers.open } });
  const lines = [{ productId: PRODUCT, quantity: 1 }];
  for (let index = 0; index < ORDERS; index += 1)
    assert.equal((await postOrder(scrip, buyer, `order-${index}`, { lines })).statusCode, 202);
  const deadlineMs = Date.now() + sizeFor("chaos", { share: 60_000, full: 600_000 });
  for (let round = 1; ; round += 1) {
    await worker.step();
    await worker.renew();
    await turnCredentials(round);
    const [left] = await db.rows<{ count: number }>(sql`select count(*)::integer as count from order_work`);
    if (left?.count === 0) break;
    assert.ok(Date.now() < deadlineMs, `${left?.count} orders did not end (SEED=${SEED})`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await worker.idle();
  await suppliers.close();
  await assertBooks();
  const { invariants } = await audit(db);
  assert.deepEqual(
    invariants.filter(({ ok }) => !ok),
    [],
  );
});

/** Every few rounds the supplier wants another secret; the operator enters it some rounds later. */
async function turnCredentials(round: number): Promise<void> {
  for (const { logins, config, supplierId, kind } of shops) {
    const secretText = `${kind}-secret-${Math.floor(round / 12)}`;
    if (round % 12 === 0) logins.accepted = [secretText];
    if (round % 12 === 4 && round > 12)
      await changeSupplier(scrip, supplierId, {
        name: undefined,
        ratePerSecond: undefined,
        config: config(secretText),
      });
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
