import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addBuyer, type Buyer, balanceOf } from "../../testing/builders/buyers.ts";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { eventually } from "../../testing/eventually.ts";
import { isWide, sizeFor } from "../../testing/full-size.ts";
import { pickBySeed, SEED } from "../../testing/seed.ts";
import { assertSold } from "../../testing/upstream/sales/sale-books.ts";
import { closeSale, countUnended, openSale, placeOrders } from "../../testing/upstream/sales/shops.ts";
import { openFake, SUPPLIER_KINDS } from "../../testing/upstream/supplier-fakes.ts";
import type { FulfilmentLimits } from "./limits.ts";
import { runFulfilment } from "./run-fulfilment.ts";

const ORDERS = sizeFor("chaos", { share: 20, full: 2_000 });
const TIMEOUT_MS = sizeFor("chaos", { share: 400, full: 800 });
/** At full size and on a busy machine it takes longer than the runner allows by default. */
const TEST_MS = sizeFor("chaos", { share: 120_000, full: 1_800_000 });
/** Looking more often would take the time of those who work. */
const PATIENCE = { deadlineMs: TEST_MS, everyMs: 100 };

const LIMITS: Partial<FulfilmentLimits> = {
  leaseMs: 3_000,
  pollMs: 20,
  inFlightMax: sizeFor("chaos", { share: 16, full: 48 }),
  callTimeoutMs: TIMEOUT_MS,
  // What lands late lands after `landMs`; the rest is for a machine that stalls meanwhile.
  arrivalMs: sizeFor("chaos", { share: 1_200, full: 4_000 }),
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

/** In `npm test` one of them, by the seed. */
const KINDS = isWide() ? SUPPLIER_KINDS : [pickBySeed(SUPPLIER_KINDS)];
for (const kind of KINDS) {
  test(`${ORDERS} orders from a ${kind} supplier under every misfortune: none bought twice, lost, or refunded after delivery (SEED=${SEED})`, {
    timeout: TEST_MS,
  }, async (t) => {
    const sale = await openSale(scrip, [kind], { lateMs: 2 * TIMEOUT_MS, landMs: 400 });
    t.after(() => closeSale(sale));
    const balance = await balanceOf(scrip.db, buyer);
    await placeOrders(scrip, buyer, sale, ORDERS);
    const suppliers = Object.fromEntries(
      sale.shops.map((shop) => [shop.supplierId, openFake(shop, TIMEOUT_MS)]),
    );
    const { deps } = createTestFulfiller(scrip, { suppliers, limits: LIMITS });
    const worker = runFulfilment(deps);
    await eventually(
      `no order is left (SEED=${SEED})`,
      async () => ((await countUnended(scrip)) === 0 ? true : undefined),
      PATIENCE,
    ).finally(() => worker.stop(10 * TIMEOUT_MS));
    const delivered = await assertSold(scrip, buyer, sale, balance);
    assert.ok(delivered > ORDERS / 2, `only ${delivered} units were delivered`);
    t.diagnostic(`${delivered} units delivered, ${sale.shops[0]?.fake.calls().length} calls`);
  });
}
