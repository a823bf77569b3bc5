import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addBuyer, postOrder } from "../../testing/builders/buyers.ts";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { openShop, PRICE_MINOR, type Shop } from "../../testing/builders/shop.ts";
import { addEndpoint } from "../../testing/builders/webhook-builders.ts";
import { refundOrder } from "../fulfilment/refund/refund-order.ts";
import type { TimelineEntryView } from "./schemas.ts";

let shop: Shop;
before(async () => {
  shop = await openShop();
});
after(() => shop.close());

async function timelineOf(orderId: string, key = shop.buyer.key): Promise<TimelineEntryView[]> {
  const reply = await shop.scrip.call("GET", `/v1/orders/${orderId}/timeline`, { key });
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.json().data;
}

const typesOf = (entries: readonly TimelineEntryView[]) => entries.map(({ type }) => type);

test("the timeline of a completed order goes from its acceptance to the reading of its codes", async () => {
  await addEndpoint(shop.scrip.db, shop.buyer);
  const orderId = await shop.order([await shop.addStocked(2), 2]);
  assert.deepEqual(typesOf(await timelineOf(orderId)), ["accepted"]);
  shop.clock.advance(1_000);
  await createTestFulfiller(shop.scrip).drain();
  shop.clock.advance(1_000);
  await shop.codesOf(orderId);
  const entries = await timelineOf(orderId);
  assert.deepEqual(typesOf(entries), [
    "accepted",
    "processing",
    "unit_delivered",
    "unit_delivered",
    "completed",
    "event_created",
    "codes_revealed",
  ]);
  assert.deepEqual(
    entries
      .filter(({ type }) => type === "unit_delivered")
      .map(({ lineIndex, unitIndex }) => [lineIndex, unitIndex]),
    [
      [0, 0],
      [0, 1],
    ],
  );
  const [created, revealed] = entries.slice(-2);
  assert.equal(created?.eventType, "order.fulfilled");
  assert.equal(revealed?.codeCount, 2);
  const times = entries.map(({ at }) => at);
  assert.deepEqual(times, times.toSorted());
});

test("units that could not be delivered are refused with their code, and the money that came back is shown", async () => {
  const orderId = await shop.order([await shop.addStocked(1), 2]);
  await createTestFulfiller(shop.scrip).drain();
  const entries = await timelineOf(orderId);
  assert.deepEqual(
    typesOf(entries).filter((type) => type !== "event_created"),
    ["accepted", "processing", "unit_delivered", "unit_refused", "completed", "refunded"],
  );
  assert.equal(entries.find(({ type }) => type === "unit_refused")?.failureCode, "out_of_stock");
  assert.deepEqual(entries.find(({ type }) => type === "refunded")?.amount, {
    amount: PRICE_MINOR,
    currency: "USD",
  });
});

test("an order of which nothing was delivered has failed, and then is refunded", async () => {
  const productId = await shop.addStocked(1);
  await shop.order([productId, 1]);
  const orderId = await shop.order([productId, 1]);
  await createTestFulfiller(shop.scrip).drain();
  assert.deepEqual(
    typesOf(await timelineOf(orderId)).filter((type) => type !== "event_created"),
    ["accepted", "processing", "unit_refused", "failed", "refunded"],
  );
});

test("a refund after completion leaves the deliveries in place", async () => {
  const orderId = await shop.order([await shop.addStocked(1), 1]);
  await createTestFulfiller(shop.scrip).drain();
  shop.clock.advance(1_000);
  const { db, clock } = shop.scrip;
  await refundOrder(db, clock, { orderId, lines: undefined, reason: "wrong card" });
  assert.deepEqual(
    typesOf(await timelineOf(orderId)).filter((type) => type !== "event_created"),
    ["accepted", "processing", "unit_delivered", "completed", "refunded"],
  );
});

test("an order that is all or nothing shows no delivery while it can still be taken back", async () => {
  const productId = await shop.addStocked(1);
  const body = { lines: [{ productId, quantity: 2 }], fulfilment: "all_or_nothing" };
  const { order } = (await postOrder(shop.scrip, shop.buyer, "whole", body)).json();
  await createTestFulfiller(shop.scrip).drain();
  const types = typesOf(await timelineOf(order.id));
  assert.ok(!types.includes("unit_delivered"), types.join());
  assert.ok(types.includes("failed"), types.join());
});

test("another reseller's order has no timeline", async () => {
  const stranger = await addBuyer(shop.scrip);
  const orderId = await shop.order([await shop.addStocked(1), 1]);
  const reply = await shop.scrip.call("GET", `/v1/orders/${orderId}/timeline`, { key: stranger.key });
  assert.equal(reply.statusCode, 404);
});

test("a timeline names no supplier and no cost", async () => {
  const orderId = await shop.order([await shop.addStocked(1), 1]);
  await createTestFulfiller(shop.scrip).drain();
  const text = JSON.stringify(await timelineOf(orderId));
  assert.ok(!text.includes(shop.stockSupplierId) && !/supplier|cost/i.test(text), text);
});
