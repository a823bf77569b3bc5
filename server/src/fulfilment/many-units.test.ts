import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { openShop, PRICE_MINOR, type Shop } from "../../testing/builders/shop.ts";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { createScriptedSupplier, sold } from "../../testing/upstream/scripted-supplier.ts";

const UNITS = sizeFor("soak", { share: 1_500, full: 10_000 });

let shop: Shop;
before(async () => {
  shop = await openShop();
});
after(() => shop.close());

const deliveredOf = async (id: string): Promise<number[]> =>
  (await shop.read(id)).lines.map((line) => line.fulfilledQuantity);

test("an order of more units than are looked at in one go is finished in several, line by line", async () => {
  const [first, second] = [await shop.addStocked(7), await shop.addStocked(3)];
  const id = await shop.order([first, 7], [second, 3]);
  const worker = createTestFulfiller(shop.scrip, { limits: { unitsMax: 4 } });
  const seen: number[][] = [];
  for (let go = 0; go < 3; go += 1) {
    await worker.step();
    seen.push(await deliveredOf(id));
  }
  assert.deepEqual(seen, [
    [4, 0],
    [7, 1],
    [7, 3],
  ]);
  assert.equal((await shop.read(id)).status, "completed");
  await shop.assertHealthy();
});

test("units that wait do not keep those from being looked at that are due", async () => {
  const supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
  const bought = await shop.addBought(supplierId);
  const stocked = await shop.addStocked(2);
  const supplier = createScriptedSupplier({ kind: "accepted", upstreamId: "under way" });
  const worker = createTestFulfiller(shop.scrip, {
    suppliers: { [supplierId]: supplier },
    limits: { unitsMax: 2 },
  });
  const id = await shop.order([bought, 2], [stocked, 2]);
  await worker.drain();
  assert.deepEqual(await deliveredOf(id), [0, 2]);
  supplier.answers = [sold("slow-1"), sold("slow-2")];
  shop.clock.advance(2_000);
  await worker.drain();
  assert.deepEqual(await deliveredOf(id), [2, 2]);
  await shop.assertHealthy();
});

test(`${UNITS} units in one line are delivered, each with a different code, and missing units are refunded`, async () => {
  const { db } = shop.scrip;
  const [ordered, inStock] = [UNITS, UNITS - 10];
  const productId = await shop.addStocked(inStock);
  const id = await shop.order([productId, ordered]);
  // So many ids were made in one millisecond that theirs, and with it the order, runs ahead of the clock.
  shop.clock.advance(1_000);
  await createTestFulfiller(shop.scrip).drain();
  const order = await shop.read(id);
  assert.equal(order.status, "completed");
  assert.equal(order.refundedTotal.amount, (ordered - inStock) * PRICE_MINOR);
  assert.deepEqual(await deliveredOf(id), [inStock]);
  const reply = await shop.codesOf(id);
  const codes: { code: string }[] = reply.json().data;
  assert.equal(new Set(codes.map(({ code }) => code)).size, inStock);
  const [reveal] = await db.rows(sql`select code_count as count from code_reveals where order_id = ${id}`);
  assert.deepEqual(reveal, { count: inStock });
  await shop.assertHealthy();
});
