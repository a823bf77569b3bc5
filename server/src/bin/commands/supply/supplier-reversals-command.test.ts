import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TEST_MASTER_KEY } from "../../../../testing/app/test-settings.ts";
import { balanceOf } from "../../../../testing/builders/buyers.ts";
import { createTestFulfiller, unitStatuses } from "../../../../testing/builders/fulfilment.ts";
import { openShop, PRICE_MINOR, type Shop } from "../../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../../testing/builders/supply-builders.ts";
import { runScrip, scripJson } from "../../../../testing/processes/run-scrip.ts";
import { createScriptedSupplier, sold } from "../../../../testing/upstream/scripted-supplier.ts";
import { listActivity } from "../../../activity/list-activity.ts";
import { insertReversals } from "../../../suppliers/reconcile/reconcile-queries.ts";

let shop: Shop;
let env: Record<string, string>;
let supplierId: string;

before(async () => {
  shop = await openShop();
  const master = TEST_MASTER_KEY.toString("base64");
  env = { DATABASE_URL: shop.scrip.connectionString, SCRIP_MASTER_KEY: master };
  supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
});
after(() => shop.close());

test("supplier reversals: one is kept, one is charged back with a reason, and each is recorded", async () => {
  const { db } = shop.scrip;
  const supplier = createScriptedSupplier(sold("GIVEN-1"), sold("GIVEN-2"));
  const id = await shop.order([await shop.addBought(supplierId), 2]);
  await createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier } }).drain();
  const units = [0, 1].map((unitIndex) => ({ orderId: id, lineIndex: 0, unitIndex, number: 1 }));
  await insertReversals(db, supplierId, units, shop.clock.now());
  const balance = await balanceOf(db, shop.buyer);
  const reversals = (...args: string[]) =>
    scripJson<{ data: { unitIndex: number }[] }>(["supplier", "reversals", ...args], env);

  const unnamed = await runScrip(["supplier", "reversals", "--charge-back", `${id}.0.1`], env);
  assert.deepEqual([unnamed.code, unnamed.stderr], [2, "scrip: --reason is required\n"]);
  const both = ["--keep", `${id}.0.0`, "--charge-back", `${id}.0.1`];
  assert.equal((await runScrip(["supplier", "reversals", ...both], env)).code, 2);
  const { data: left } = await reversals("--keep", `${id}.0.0`, "--reason", "ticket 9");
  assert.deepEqual(
    left.map(({ unitIndex }) => unitIndex),
    [1],
  );
  assert.equal(await balanceOf(db, shop.buyer), balance);
  const kept = await runScrip(["supplier", "reversals", "--charge-back", `${id}.0.0`, "--reason", "no"], env);
  assert.match(kept.stderr, /has no unit that its supplier took back and that waits for a decision/);
  assert.deepEqual(await reversals("--charge-back", `${id}.0.1`, "--reason", "it is dead"), { data: [] });
  assert.equal(await balanceOf(db, shop.buyer), balance + PRICE_MINOR);
  assert.deepEqual(await unitStatuses(db, id), ["delivered refunded"]);
  const about = { object: { kind: "order", id } };
  const { data } = await listActivity(db, { kind: "staff" }, about, { limit: 5 });
  assert.deepEqual(
    data.map(({ action, after }) => [action, after]),
    [
      ["order.charged_back", { reason: "it is dead", units: 1, amount: "1.00 USD" }],
      ["order.reversal_kept", { units: 1, staffNote: "ticket 9" }],
    ],
  );
  await shop.assertHealthy();
});
