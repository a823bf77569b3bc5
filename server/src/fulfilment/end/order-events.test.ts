import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { addEndpoint } from "../../../testing/builders/delivery.ts";
import { createTestFulfiller, type TestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import {
  createScriptedSupplier,
  lost,
  refused,
  type ScriptedSupplier,
} from "../../../testing/upstream/scripted-supplier.ts";
import { holdOrder } from "../operate/hold-order.ts";
import { refundOrder } from "../refund/refund-order.ts";

let shop: Shop;
let bought: string;
let supplier: ScriptedSupplier;
let worker: TestFulfiller;
let endpointId: string;

before(async () => {
  shop = await openShop();
  const supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
  bought = await shop.addBought(supplierId);
  supplier = createScriptedSupplier();
  worker = createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier } });
  ({ id: endpointId } = await addEndpoint(shop.scrip.db, shop.buyer));
});
after(() => shop.close());
beforeEach(() => shop.clock.advance(3_600_000));

const FULFILLED = "order.fulfilled fulfilled";
const REFUNDED = "order.refunded refunded";
const REFUNDED_IN_PART = "order.refunded partially_refunded";

/** What was told of the order, in this order, each of it with a delivery; and that the books are in order. */
async function assertTold(orderId: string, ...expected: string[]): Promise<void> {
  const rows = await shop.scrip.db.rows<{
    type: string;
    body: string;
    cause: string;
    receivers: string[];
  }>(sql`
    select type, body, cause, array(select d.endpoint_id from deliveries d where d.event_id = e.id) as receivers
    from events e where order_id = ${orderId} order by id`);
  const told = rows.map(({ type, body }) => {
    const { data, ...envelope } = JSON.parse(body);
    assert.equal(envelope.type, type);
    assert.equal(data.order_id, orderId);
    assert.deepEqual(Object.keys(data), ["order_id", "status", "environment"]);
    return `${type} ${data.status}`;
  });
  assert.deepEqual(told, expected);
  for (const { receivers } of rows) assert.deepEqual(receivers, [endpointId]);
  const refunds = await shop.scrip.db.rows<{ id: string }>(sql`
    select id from ledger_entries where order_id = ${orderId} and type = 'refund' order by id`);
  const causes = rows.filter(({ type }) => type === "order.refunded").map(({ cause }) => cause);
  assert.deepEqual(
    causes.sort(),
    refunds.map(({ id }) => id).sort(),
    "each refund is the cause of one event",
  );
  await shop.assertHealthy();
}
const refund = (orderId: string, lines?: number[]) =>
  refundOrder(shop.scrip.db, shop.clock, { orderId, lines, reason: "the customer asked for it" });

test("an order that is open has told nothing", async () => {
  supplier.answers = [lost];
  const id = await shop.order([bought, 1]);
  await assertTold(id);
  await worker.drain();
  await assertTold(id);
});

test("an order whose units are all delivered is told as fulfilled, once", async () => {
  const id = await shop.order([await shop.addStocked(2), 2]);
  await worker.drain();
  await assertTold(id, FULFILLED);
  shop.clock.advance(3_600_000);
  await worker.drain();
  await assertTold(id, FULFILLED);
});

test("one that is delivered in part is told as fulfilled and as refunded in part", async () => {
  supplier.answers = [refused("rejected_by_issuer")];
  const id = await shop.order([await shop.addStocked(1), 1], [bought, 1]);
  await worker.drain();
  await assertTold(id, FULFILLED, REFUNDED_IN_PART);
});

test("one of which nothing could be delivered is told as refunded alone", async () => {
  supplier.answers = [refused("rejected_by_issuer")];
  const id = await shop.order([bought, 2]);
  await worker.drain();
  await assertTold(id, REFUNDED);
});

test("a refund that is on hold is told when it is paid, not before", async () => {
  supplier.answers = [refused("rejected_by_issuer")];
  const id = await shop.order([bought, 1]);
  await holdOrder(shop.scrip.db, shop.clock, id, true);
  await worker.drain();
  await assertTold(id);
  await holdOrder(shop.scrip.db, shop.clock, id, false);
  await worker.drain();
  await assertTold(id, REFUNDED);
});

test("the operator's refunds are told each: of one line in part, of the rest as refunded", async () => {
  const id = await shop.order([await shop.addStocked(1), 1], [await shop.addStocked(1), 1]);
  await worker.drain();
  await refund(id, [0]);
  await assertTold(id, FULFILLED, REFUNDED_IN_PART);
  await refund(id);
  await assertTold(id, FULFILLED, REFUNDED_IN_PART, REFUNDED);
});

test("a refund that is refused tells nothing", async () => {
  const id = await shop.order([await shop.addStocked(1), 1]);
  await worker.drain();
  await refund(id);
  await assert.rejects(refund(id));
  await assertTold(id, FULFILLED, REFUNDED);
});

test("an order that the operator refunds before anything was delivered is told as refunded alone", async () => {
  const id = await shop.order([await shop.addStocked(1), 1]);
  await refund(id);
  await worker.drain();
  await assertTold(id, REFUNDED);
});

test("a refund of what was still open completes the rest, and both are told", async () => {
  supplier.answers = [lost];
  const id = await shop.order([await shop.addStocked(1), 1], [bought, 1]);
  await worker.drain();
  await assertTold(id);
  await refund(id, [1]);
  await assertTold(id, REFUNDED_IN_PART, FULFILLED);
});
