import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller, type TestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import {
  accepted,
  createScriptedSupplier,
  lost,
  notFound,
  refused,
  type ScriptedSupplier,
  sold,
} from "../../../testing/upstream/scripted-supplier.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";
import { refundOrder } from "../refund/refund-order.ts";
import { followWrittenOff } from "./follow-written-off.ts";

const { writtenOffLookMs, lookMaxMs } = FULFILMENT_LIMITS;

let shop: Shop;
let supplierId: string;
let productId: string;
let supplier: ScriptedSupplier;
let worker: TestFulfiller;
before(async () => {
  shop = await openShop();
  supplierId = await addSupplierRow(shop.scrip.db, {
    kind: "scrip",
    resendAfterMs: FULFILMENT_LIMITS.arrivalMs,
  });
  productId = await shop.addBought(supplierId);
});
after(() => shop.close());
beforeEach(async () => {
  shop.clock.advance(3_600_000);
  await shop.scrip.db.rows(sql`update suppliers set consecutive_failures = 0, open_until = null`);
  supplier = createScriptedSupplier();
  worker = createTestFulfiller(shop.scrip, {
    suppliers: { [supplierId]: supplier },
    // So that all units are asked for, though no answer comes.
    limits: { breakerFailures: 1_000 },
  });
});

/** An order whose purchases are unknown, and which the operator has paid back. */
async function writtenOff(units = 1): Promise<string> {
  supplier.answers = [lost];
  const id = await shop.order([productId, units]);
  await worker.drain();
  await refundOrder(shop.scrip.db, shop.clock, { orderId: id, lines: undefined, reason: "no answer" });
  supplier.asked = [];
  return id;
}
const follow = async (afterMs: number) => {
  shop.clock.advance(afterMs);
  return followWrittenOff(worker.deps);
};
const attemptsOf = async (id: string): Promise<string[]> => {
  const rows = await shop.scrip.db.rows<{ status: string }>(
    sql`select status from supplier_attempts where order_id = ${id} order by unit_index`,
  );
  return rows.map(({ status }) => status);
};

test("what is not found counts as not bought only after a long time, and is never sent again", async () => {
  const id = await writtenOff();
  supplier.answers = [notFound];
  for (let passedMs = 0; passedMs + 3_600_000 < writtenOffLookMs; passedMs += 3_600_000) {
    await follow(3_600_000);
    assert.deepEqual(await attemptsOf(id), ["open"]);
  }
  await follow(3_600_000);
  assert.deepEqual(await attemptsOf(id), ["refused"]);
  assert.deepEqual(new Set(supplier.asked), new Set([`look up ${id}.0.0.1`]));
  assert.equal((await shop.read(id)).status, "refunded");
  await shop.assertHealthy();
});

test("a purchase that is still under way is followed by the supplier's own id until its code is in quarantine", async () => {
  const id = await writtenOff();
  supplier.answers = [accepted, lost, sold("arrived at last")];
  for (let look = 0; look < 3; look += 1) await follow(2 * lookMaxMs);
  assert.deepEqual(supplier.asked, [`look up ${id}.0.0.1`, "look up ord_upstream", "look up ord_upstream"]);
  assert.deepEqual(await attemptsOf(id), ["quarantined"]);
  assert.equal((await shop.codesOf(id)).statusCode, 409);
  const asked = supplier.asked.length;
  await follow(2 * lookMaxMs);
  assert.equal(supplier.asked.length, asked);
  await shop.assertHealthy();
});

test("what the supplier says it did not sell is done with at once", async () => {
  const id = await writtenOff();
  supplier.answers = [refused("out_of_stock")];
  await follow(60_000);
  assert.deepEqual(await attemptsOf(id), ["refused"]);
  await shop.assertHealthy();
});

test("each is asked about once at a time, by however many workers, and less and less often", async () => {
  const id = await writtenOff();
  supplier.answers = [lost];
  const others = [worker, createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier } })];
  shop.clock.advance(60_000);
  await Promise.all([...others, ...others].map(({ deps }) => followWrittenOff(deps)));
  assert.deepEqual(supplier.asked, [`look up ${id}.0.0.1`]);
  for (let hour = 0; hour < 20; hour += 1) await follow(3_600_000);
  const asked = supplier.asked.length;
  await follow(lookMaxMs - 1);
  assert.equal(supplier.asked.length, asked);
  await follow(2 * lookMaxMs);
  assert.equal(supplier.asked.length, asked + 1);
});

test("it tells whether there may be more than it takes in one go, and all are taken in the end", async () => {
  const units = 40;
  const id = await writtenOff(units);
  supplier.lookUp = async (reference) => sold(`of many: ${reference}`);
  shop.clock.advance(3_600_000);
  const more: boolean[] = [];
  do more.push(await followWrittenOff(worker.deps));
  while (more.at(-1));
  assert.ok(more.length > 1);
  assert.deepEqual(await attemptsOf(id), Array(units).fill("quarantined"));
  await shop.assertHealthy();
});
