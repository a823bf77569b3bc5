import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { createTestFulfiller, type TestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { createScriptedSupplier, sold } from "../../../testing/upstream/scripted-supplier.ts";
import { createLog } from "../../lib/log.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";

let shop: Shop;
let supplierId: string;
let worker: TestFulfiller;
let logged: string;
before(async () => {
  shop = await openShop();
  supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
});
after(() => shop.close());

const supplier = createScriptedSupplier();
supplier.buy = async ({ reference }) => {
  supplier.asked.push(`buy ${reference}`);
  return sold(`SECRET-${reference}`);
};
supplier.lookUp = async (reference) => {
  supplier.asked.push(`look up ${reference}`);
  return sold(`SECRET-${reference}`);
};

beforeEach(() => {
  logged = "";
  supplier.asked = [];
  const log = createLog("debug", {
    write: (line) => {
      logged += line;
    },
  });
  worker = createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier }, changes: { log } });
});

/** No unit of this order can be delivered: writing it fails, as it would for a row that breaks a rule. */
async function poison(orderId: string): Promise<void> {
  await shop.scrip.db.rows(
    raw(`
    create trigger poison before insert or update on order_units for each row
    when (new.order_id = '${orderId}' and new.status = 'delivered')
    execute function refuse_change()`),
  );
}
const cure = () => shop.scrip.db.rows(sql`drop trigger poison on order_units`);
const statusesOf = (ids: readonly string[]): Promise<string[]> =>
  Promise.all(ids.map(async (id) => (await shop.read(id)).status));

test("an order that cannot be settled does not hold up the others of its batch, and is settled once it can be", async () => {
  const productId = await shop.addStocked(5);
  const ids: string[] = [];
  for (let made = 0; made < 5; made += 1) ids.push(await shop.order([productId, 1]));
  const [, , poisoned = ""] = ids;
  await poison(poisoned);
  await worker.step();
  assert.deepEqual(await statusesOf(ids), ["completed", "completed", "processing", "completed", "completed"]);
  assert.match(logged, /orders could not be settled/);
  await shop.assertHealthy();

  // The error does not repeat before the lease is over, and then it still blocks no other order.
  await worker.drain();
  shop.clock.advance(FULFILMENT_LIMITS.leaseMs);
  await worker.step();
  assert.equal((await shop.read(poisoned)).status, "processing");
  await cure();
  shop.clock.advance(FULFILMENT_LIMITS.leaseMs);
  await worker.drain();
  assert.equal((await shop.read(poisoned)).status, "completed");
  await shop.assertHealthy();
});

test("what was bought for it is not bought again, and its code is in no log and no error", async () => {
  const productId = await shop.addBought(supplierId);
  const ids = [await shop.order([productId, 1]), await shop.order([productId, 1])];
  const [poisoned = "", other = ""] = ids;
  await poison(poisoned);
  await worker.step();
  await worker.idle();
  assert.deepEqual(await statusesOf(ids), ["processing", "completed"]);
  assert.match(logged, /orders could not be settled/);
  assert.doesNotMatch(logged, /SECRET-/);
  assert.ok(!logged.includes(supplierId));
  await cure();
  shop.clock.advance(FULFILMENT_LIMITS.leaseMs);
  await worker.drain();
  assert.deepEqual(await statusesOf(ids), ["completed", "completed"]);
  assert.deepEqual(
    supplier.asked.toSorted(),
    [`buy ${other}.0.0.1`, `buy ${poisoned}.0.0.1`, `look up ${poisoned}.0.0.1`].sort(),
  );
  await shop.assertHealthy();
});
