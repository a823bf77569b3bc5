import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { PRICE_MINOR, type Shop } from "../../../testing/builders/shop.ts";
import type { ConsoleVisit } from "../../../testing/people/console-desk.ts";
import { decide, offeredBy, openOrderDesk, textOf } from "../../../testing/people/order-desk.ts";
import { accepted, lost, sold } from "../../../testing/upstream/scripted-supplier.ts";
import { PROOF_MS } from "../../accounts/sessions/session-life.ts";
import { CONDITIONS } from "../../alerts/conditions.ts";
import { refundOrder } from "../../fulfilment/refund/refund-order.ts";
import { insertReversals } from "../../suppliers/reconcile/reconcile-queries.ts";

let orders: Awaited<ReturnType<typeof openOrderDesk>>;
let shop: Shop;
let support: ConsoleVisit;
let made = 0;

before(async () => {
  orders = await openOrderDesk({ supplierName: "Nimbus" });
  ({ shop } = orders);
});
after(() => orders?.close());

/** A completed order, of which the supplier took back the first units. */
async function reversedOrder(units: number, reversed: number): Promise<string> {
  orders.supplier.buy = async () => {
    made += 1;
    return sold(`GIVEN-${made}`);
  };
  const id = await shop.order([orders.bought, units]);
  await orders.worker.drain();
  await reverse(id, reversed);
  support = await orders.desk.enter("support");
  return id;
}

const reverse = (orderId: string, count: number) =>
  insertReversals(
    shop.scrip.db,
    orders.supplierId,
    Array.from({ length: count }, (_, unitIndex) => ({ orderId, lineIndex: 0, unitIndex, number: 1 })),
    shop.clock.now(),
  );

const alertsOf = async (id: string): Promise<number> => {
  const rows = await shop.scrip.db.rows<{ subject: string }>(
    CONDITIONS.purchase_reversed.find(shop.clock.now(), 100),
  );
  return rows.filter(({ subject }) => subject.startsWith(id)).length;
};
const statusesOf = async (id: string) =>
  (
    await shop.scrip.db.rows<{ status: string }>(
      sql`select status from order_units where order_id = ${id} order by unit_index`,
    )
  ).map(({ status }) => status);

test("a reversal is on the order's line, timeline and margin, and waits for a person", async () => {
  const id = await reversedOrder(2, 1);
  const page = await support.get(`/orders/${id}`);
  const text = textOf(page.body);
  for (const part of [
    "A supplier took back 1 unit after delivery",
    "Delivered Taken back Refunded",
    "Taken back by Nimbus: line 1, unit 1",
    "the supplier gave your money back after delivery",
    "delivered taken back",
    "Given back by the supplier 0.80 USD",
    "Leaves 1 unit that the supplier took back as it is. No money moves.",
    "Pays 1.00 USD back to Buyer now for 1 unit that the supplier took back.",
  ])
    assert.ok(text.includes(part), `${part} in ${text}`);
  assert.ok(offeredBy(page.body).includes("keep") && offeredBy(page.body).includes("charge-back"));
  assert.equal(await alertsOf(id), 1);
  const viewer = await orders.desk.enter("viewer");
  const seen = await viewer.get(`/orders/${id}`);
  assert.match(textOf(seen.body), /A supplier took back 1 unit/);
  assert.deepEqual(offeredBy(seen.body), []);
  await decide(support, id, "keep");
});

test("Keep says that nothing moves, and leaves the order, its units and the wallet as they are", async () => {
  const id = await reversedOrder(1, 1);
  const [before, balance] = [await shop.read(id), await orders.balance()];
  const page = textOf((await support.get(`/orders/${id}/keep`)).body);
  assert.match(page, /Keep 1 unit\?/);
  assert.match(page, /keeps the code and has paid for it\. Its order and its wallet stay as they are/);
  const done = await decide(support, id, "keep", { reason: "" });
  assert.deepEqual([done.statusCode, done.headers.location], [303, `/orders/${id}`]);
  assert.deepEqual([await shop.read(id), await orders.balance()], [before, balance]);
  assert.equal(await alertsOf(id), 0);
  const text = textOf((await support.get(`/orders/${id}`)).body);
  assert.ok(text.includes(`Reversal kept by ${support.email}`), text);
  assert.doesNotMatch(text, /A supplier took back/);
  const again = await decide(support, id, "keep", { expected: "1:0" });
  assert.match(
    textOf(again.body),
    /No unit of this order was taken back by its supplier, or each is decided/,
  );
  await shop.assertHealthy();
});

test("Charge back says its amount, asks for proof and a reason, and refunds only what was taken back, as any refund", async () => {
  const id = await reversedOrder(3, 2);
  const balance = await orders.balance();
  const page = textOf((await support.get(`/orders/${id}/charge-back`)).body);
  assert.match(page, /Charge back 2 units, 2\.00 USD\?/);
  assert.match(page, /Buyer gets 2\.00 USD back now for 2 units/);
  assert.match(
    textOf((await decide(support, id, "charge-back", { reason: " " })).body),
    /Reason is required/,
  );
  shop.clock.advance(PROOF_MS + 1_000);
  assert.equal((await decide(support, id, "charge-back")).statusCode, 403);
  assert.equal(await orders.balance(), balance);
  support = await orders.desk.enter("support");
  const reason = "it was taken back";
  const one = await decide(support, id, "charge-back", { units: "0.1", expected: "1:100", reason });
  assert.equal(one.statusCode, 303, textOf(one.body));
  assert.deepEqual(await statusesOf(id), ["delivered", "refunded", "delivered"]);
  const rest = await decide(support, id, "charge-back", { reason });
  assert.equal(rest.statusCode, 303);
  assert.deepEqual(await statusesOf(id), ["refunded", "refunded", "delivered"]);
  assert.equal(await orders.balance(), balance + 2 * PRICE_MINOR);
  const order = await shop.read(id);
  assert.deepEqual([order.status, order.refundedTotal.amount], ["completed", 2 * PRICE_MINOR]);
  assert.equal((await shop.codesOf(id)).json().data.length, 3, "codes stay readable");
  assert.equal(await alertsOf(id), 0);
  const text = textOf((await support.get(`/orders/${id}`)).body);
  assert.ok(text.includes(`Charged back by ${support.email}`) && text.includes(`“${reason}”`), text);
  await shop.assertHealthy();
});

test("nothing is charged back before the order is completed, whoever asks", async () => {
  orders.supplier.buy = async () => {
    made += 1;
    return made % 2 === 0 ? lost : sold(`GIVEN-${made}`);
  };
  const id = await shop.order([orders.bought, 2]);
  await orders.worker.drain();
  const units = (await statusesOf(id)).flatMap((status, unitIndex) =>
    status === "delivered" ? [{ orderId: id, lineIndex: 0, unitIndex, number: 1 }] : [],
  );
  assert.equal(units.length, 1);
  await insertReversals(shop.scrip.db, orders.supplierId, units, shop.clock.now());
  const balance = await orders.balance();
  const charge = () =>
    refundOrder(shop.scrip.db, shop.clock, {
      ...{ orderId: id, lines: undefined, which: "reversed" as const, reason: "it was taken back" },
    });
  await assert.rejects(charge, /is processing: a unit that its supplier took back can be charged back once/);
  assert.equal(await orders.balance(), balance);
  await shop.assertHealthy();
});

test("an ordinary refund of the unit decides too, and a reversal of a unit that was refunded before asks nobody", async () => {
  const id = await reversedOrder(1, 1);
  const refund = { orderId: id, lines: undefined, reason: "asked for" };
  await refundOrder(shop.scrip.db, shop.clock, refund);
  assert.equal(await alertsOf(id), 0);
  assert.doesNotMatch((await support.get(`/orders/${id}`)).body, /A supplier took back/);
  const early = await reversedOrder(1, 0);
  await refundOrder(shop.scrip.db, shop.clock, { ...refund, orderId: early });
  await reverse(early, 1);
  assert.equal(await alertsOf(early), 0);
  await shop.assertHealthy();
});

test("while other units of the order are open, it can be kept, and is charged back later", async () => {
  orders.supplier.buy = async ({ reference }) => (reference.endsWith(".0.0.1") ? sold("GIVEN-X") : accepted);
  orders.supplier.lookUp = async () => accepted;
  const id = await shop.order([orders.bought, 2]);
  await orders.worker.drain();
  await reverse(id, 1);
  support = await orders.desk.enter("support");
  const page = await support.get(`/orders/${id}/charge-back`);
  assert.match(
    textOf(page.body),
    /The order is not completed yet\. Charge its unit back when its other units have ended/,
  );
  const offered = offeredBy((await support.get(`/orders/${id}`)).body);
  assert.deepEqual([offered.includes("keep"), offered.includes("charge-back")], [true, false]);
  await shop.assertHealthy();
});
