import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { balanceOf, postOrder } from "../../../testing/builders/buyers.ts";
import {
  createTestFulfiller,
  type TestFulfiller,
  unitStatuses,
} from "../../../testing/builders/fulfilment.ts";
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
import { withdrawStock } from "../../suppliers/stock/withdraw-stock.ts";
import { supplierStatement } from "../../suppliers/supplier-statement.ts";
import { followWrittenOff } from "../operate/follow-written-off.ts";
import { holdOrder } from "../operate/hold-order.ts";
import { refundOrder } from "../refund/refund-order.ts";

let shop: Shop;
let supplierId: string;
let supplier: ScriptedSupplier;
let worker: TestFulfiller;
let balance: number;
let made = 0;

before(async () => {
  shop = await openShop();
});
after(() => shop.close());
beforeEach(async () => {
  shop.clock.advance(3_600_000);
  supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
  supplier = createScriptedSupplier();
  worker = createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier } });
  balance = await balanceOf(shop.scrip.db, shop.buyer);
});

async function order(...lines: [productId: string, quantity: number][]): Promise<string> {
  made += 1;
  const reply = await postOrder(shop.scrip, shop.buyer, `whole ${made}`, {
    lines: lines.map(([productId, quantity]) => ({ productId, quantity })),
    fulfilment: "all_or_nothing",
  });
  assert.equal(reply.statusCode, 202, reply.body);
  return reply.json().order.id;
}

/** A product whose last code is sold after it was ordered, as far as the catalog knows. */
async function addGone(): Promise<string> {
  const productId = await shop.addStocked(1);
  await shop.scrip.db.rows(sql`update codes set state = 'expired' where product_id = ${productId}`);
  return productId;
}

const codesOf = async (id: string): Promise<string> => {
  const reply = await shop.codesOf(id);
  return reply.statusCode === 200 ? `${reply.json().data.length} codes` : reply.json().code;
};
const attemptsOf = (id: string) =>
  shop.scrip.db.rows<{ status: string; sends: number }>(
    sql`select status, sends from supplier_attempts where order_id = ${id} order by line_index, number`,
  );
const stockOf = async (productId: string): Promise<number> =>
  (await shop.scrip.db.rows(sql`select from codes where product_id = ${productId} and state = 'stock'`))
    .length;
const eventsOf = async (id: string): Promise<string[]> => {
  const { data } = (await shop.scrip.call("GET", `/v1/events?orderId=${id}`, { key: shop.buyer.key })).json();
  return data.map(({ type, data }: { type: string; data: { status: string } }) => `${type} ${data.status}`);
};

async function assertRefundedWhole(id: string): Promise<void> {
  const view = await shop.read(id);
  assert.deepEqual([view.status, view.fulfilment], ["refunded", "all_or_nothing"]);
  assert.deepEqual(view.refundedTotal, view.total);
  for (const line of view.lines)
    assert.deepEqual([line.fulfilledQuantity, line.refundedQuantity], [0, line.quantity]);
  assert.equal(await balanceOf(shop.scrip.db, shop.buyer), balance);
  assert.equal(await codesOf(id), "codes_unavailable");
  await shop.assertHealthy();
}

test("an order that can be completed is delivered like any other, and shows its fulfilment", async () => {
  const productId = await shop.addStocked(2);
  const id = await order([productId, 2]);
  await worker.drain();
  const view = await shop.read(id);
  assert.deepEqual([view.status, view.fulfilment], ["completed", "all_or_nothing"]);
  assert.equal(await codesOf(id), "2 codes");
  assert.deepEqual(await eventsOf(id), ["order.fulfilled fulfilled"]);
  await shop.assertHealthy();
});

test("when stock is short the money returns to the wallet and the codes return to stock, to be sold again", async () => {
  const full = await shop.addStocked(3);
  const short = await shop.addStocked(1);
  const id = await order([full, 3], [short, 2]);
  await worker.drain();
  await assertRefundedWhole(id);
  assert.deepEqual(
    (await shop.read(id)).lines.map(({ failureCode }) => failureCode),
    ["temporarily_unavailable", "out_of_stock"],
  );
  assert.deepEqual(await eventsOf(id), ["order.refunded refunded"]);
  assert.deepEqual([await stockOf(full), await stockOf(short)], [3, 1]);
  const next = await order([full, 3], [short, 1]);
  await worker.drain();
  assert.equal(await codesOf(next), "4 codes");
  await shop.assertHealthy();
});

test("what was bought from a supplier goes to quarantine and is counted as bought, and is bought once", async () => {
  const stocked = await shop.addStocked(1);
  const bought = await shop.addBought(supplierId);
  supplier.answers = [sold("W-1"), refused("rejected_by_issuer")];
  const id = await order([stocked, 1], [bought, 2]);
  await worker.drain();
  await assertRefundedWhole(id);
  assert.equal(supplier.asked.length, 2);
  assert.equal(await stockOf(stocked), 1);
  const filter = { supplierId, from: undefined, to: undefined };
  const { data, attempts } = await supplierStatement(shop.scrip.db, filter, 10);
  assert.deepEqual([data[0]?.bought, data[0]?.quarantined, data[0]?.cost?.amount], [1, 1, 80]);
  assert.deepEqual(
    attempts.map(({ status, reason }) => [status, reason]),
    [["quarantined", "incomplete"]],
  );
});

test("until all of it is known nothing of it is shown, and once something failed nothing more is bought", async () => {
  const stocked = await shop.addStocked(1);
  const bought = await shop.addBought(supplierId);
  const gone = await addGone();
  supplier.answers = [accepted, accepted, sold("W-2")];
  const id = await order([stocked, 1], [bought, 1], [gone, 1]);
  await worker.drain();
  const view = await shop.read(id);
  assert.deepEqual([view.status, view.lines[0]?.fulfilledQuantity], ["processing", 0]);
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["delivered", "waiting", "failed"]);
  assert.equal(await codesOf(id), "order_not_fulfilled");
  shop.clock.advance(2_000);
  await worker.drain();
  shop.clock.advance(4_000);
  await worker.drain();
  await assertRefundedWhole(id);
});

test("a unit that would have to wait for a supplier is given up when another has failed", async () => {
  const bought = await shop.addBought(supplierId);
  const gone = await addGone();
  await shop.scrip.db.rows(sql`
    update suppliers set open_until = ${new Date(shop.clock.now().getTime() + 600_000)} where id = ${supplierId}`);
  const id = await order([bought, 1], [gone, 1]);
  await worker.drain();
  shop.clock.advance(2_000);
  await worker.drain();
  await assertRefundedWhole(id);
  assert.deepEqual(supplier.asked, []);
});

test("a purchase that the supplier does not know is not sent again when another unit has failed", async () => {
  const bought = await shop.addBought(supplierId);
  const gone = await addGone();
  supplier.answers = [lost, notFound];
  const id = await order([bought, 1], [gone, 1]);
  await worker.drain();
  shop.clock.advance(60_000);
  await worker.drain();
  await assertRefundedWhole(id);
  assert.deepEqual(
    supplier.asked.map((call) => call.split(" ")[0]),
    ["buy", "look"],
  );
  // It may have arrived all the same. Then its code is kept for the operator.
  supplier.answers = [sold("W-3")];
  await followWrittenOff(worker.deps);
  const [attempt] = await attemptsOf(id);
  assert.deepEqual(attempt, { status: "quarantined", sends: 1 });
  await assertRefundedWhole(id);
});

test("nothing is bought in the run in which another unit is given up", async () => {
  const bought = await shop.addBought(supplierId);
  supplier.answers = [sold("W-4")];
  const id = await order([bought, 1], [await shop.addBought(), 1]);
  await worker.drain();
  await assertRefundedWhole(id);
  assert.deepEqual(supplier.asked, []);
});

test("nothing is sent again in the run in which another unit is given up", async () => {
  const { db } = shop.scrip;
  const [bought, failing] = [await shop.addBought(supplierId), await shop.addBought(supplierId)];
  supplier.answers = [lost, accepted, notFound];
  const id = await order([bought, 1], [failing, 1]);
  await worker.drain();
  // Both are due at once when a worker runs again: one is not known, and nobody sells the other any more.
  await db.rows(sql`
    update supplier_attempts set status = 'refused', failure_code = 'out_of_stock', resolved_at = ${shop.clock.now()}
    where order_id = ${id} and upstream_id is not null`);
  shop.clock.advance(60_000);
  await worker.drain();
  await assertRefundedWhole(id);
  assert.deepEqual(
    supplier.asked.map((call) => call.split(" ")[0]),
    ["buy", "buy", "look"],
  );
});

test("an order whose refund is on hold stays failed with its codes back in stock, and is refunded when released", async () => {
  const full = await shop.addStocked(1);
  const gone = await addGone();
  const id = await order([full, 1], [gone, 1]);
  await holdOrder(shop.scrip.db, shop.clock, id, true);
  await worker.drain();
  assert.equal((await shop.read(id)).status, "failed");
  assert.equal(await stockOf(full), 1);
  await shop.assertHealthy();
  await holdOrder(shop.scrip.db, shop.clock, id, false);
  await worker.drain();
  await assertRefundedWhole(id);
});

test("the operator's refund of what is missing brings the rest back too", async () => {
  const stocked = await shop.addStocked(1);
  const bought = await shop.addBought(supplierId);
  supplier.answers = [accepted];
  const id = await order([stocked, 1], [bought, 1]);
  await worker.drain();
  await refundOrder(shop.scrip.db, shop.clock, { orderId: id, lines: [1], reason: "it never came" });
  await worker.drain();
  await assertRefundedWhole(id);
  assert.equal(await stockOf(stocked), 1);
});

test("a code that is withdrawn while an order holds it comes back withdrawn, and is never sold", async () => {
  const stocked = await shop.addStocked(2);
  const bought = await shop.addBought(supplierId);
  supplier.answers = [accepted, refused("out_of_stock")];
  const id = await order([stocked, 1], [bought, 1]);
  await worker.drain();
  const { db } = shop.scrip;
  const all = { productId: stocked, supplierId: undefined, ids: undefined, count: undefined };
  const { ids, heldIds } = await withdrawStock({ db, clock: shop.clock }, { ...all, reason: "recalled" });
  assert.deepEqual([ids.length, heldIds.length], [1, 1]);
  shop.clock.advance(2_000);
  await worker.drain();
  await assertRefundedWhole(id);
  const states = await db.rows(sql`select state from codes where product_id = ${stocked}`);
  assert.deepEqual(states, [{ state: "withdrawn" }, { state: "withdrawn" }]);
});

test("a code that no longer opens goes to quarantine and delays nothing", async () => {
  const stocked = await shop.addStocked(1);
  const bought = await shop.addBought(supplierId);
  supplier.answers = [accepted, refused("out_of_stock")];
  const id = await order([stocked, 1], [bought, 1]);
  await worker.drain();
  await shop.scrip.db.rows(sql`update codes set sealed = '\\x00' where order_id = ${id}`);
  shop.clock.advance(2_000);
  await worker.drain();
  await assertRefundedWhole(id);
  assert.equal(await stockOf(stocked), 0);
});

test("fulfilment is part of the request: partial equals the default, and another value is a conflict", async () => {
  const productId = await shop.addStocked(3);
  const lines = [{ productId, quantity: 1 }];
  const post = (body: object) => postOrder(shop.scrip, shop.buyer, "fulfilment key", { lines, ...body });
  const first = await post({});
  const again = await post({ fulfilment: "partial" });
  assert.deepEqual([again.statusCode, again.json().order.id], [202, first.json().order.id]);
  assert.equal("fulfilment" in (await shop.read(first.json().order.id)), false);
  const other = await post({ fulfilment: "all_or_nothing" });
  assert.deepEqual([other.statusCode, other.json().code], [409, "idempotency_conflict"]);
  for (const fulfilment of ["whole", "", null, 1])
    assert.equal((await post({ fulfilment })).statusCode, 400, String(fulfilment));
  await worker.drain();
});
