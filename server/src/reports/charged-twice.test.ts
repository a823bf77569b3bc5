import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { openShop } from "../../testing/builders/shop.ts";
import { openConsoleOn } from "../../testing/people/console-desk.ts";
import { textOf } from "../../testing/people/order-desk.ts";
import { addAnsweringSupplier } from "../../testing/upstream/answering-supplier.ts";
import { reconcileSupplier } from "../suppliers/reconcile/reconcile-supplier.ts";
import { listLost, sumLost } from "./list-lost.ts";

const DAY_MS = 86_400_000;
const RESEND_AFTER_MS = 60_000;
const BY = { kind: "staff", id: "stf_1" } as const;

const shop = await openShop();
const { scrip, clock } = shop;
const upstream = await addAnsweringSupplier(scrip, "reloadly", "Cards");
const supplier = upstream.open();
const worker = createTestFulfiller(scrip, { suppliers: { [upstream.id]: supplier } });
after(async () => {
  await supplier.close?.();
  upstream.close();
  await shop.close();
});

/** It keeps no reference unique, loses the answer to the first order, and finds it in its books only later. */
const sold: { transactionId: number; customIdentifier: string }[] = [];
let isListed = false;
upstream.answers["/orders"] = ({ body }) => {
  const { customIdentifier, productId, unitPrice } = JSON.parse(body);
  const transaction = {
    ...{ transactionId: 70_031 + sold.length, customIdentifier, status: "SUCCESSFUL" },
    ...{ amount: 0.8, currencyCode: "USD", product: { productId, unitPrice } },
    transactionCreatedTime: clock.now().toISOString().slice(0, 19).replace("T", " "),
  };
  sold.push(transaction);
  return sold.length === 1 ? { status: 500, text: "{}" } : JSON.stringify(transaction);
};
upstream.answers["/reports/transactions"] = ({ query }) =>
  JSON.stringify({ content: isListed || query.get("customIdentifier") === null ? sold : [] });
for (const id of [70_031, 70_032])
  upstream.answers[`/orders/transactions/${id}/cards`] = JSON.stringify([
    { cardNumber: `CARD-${id}`, pinCode: null },
  ]);

const day = (days: number): Date => new Date(Math.floor(clock.now().getTime() / DAY_MS + days) * DAY_MS);
const month = () => ({ from: day(-20), to: day(10) });
const lost = async () =>
  (await sumLost(scrip.db, month())).map(
    (one) => `${one.cause} ${one.purchases} ${one.lostMinor} ${one.currency}`,
  );
const compare = (from: Date, to: Date) => reconcileSupplier(scrip, upstream.id, { from, to }, BY);

test("a purchase that was made twice is found by reconciliation, and is lost once, with the number of its second charge", async () => {
  const productId = await shop.addBought(upstream.id);
  await scrip.db.rows(sql`
    update supplier_routes set sku = '4521', buy_value = '1.00' where product_id = ${productId}`);
  const orderId = await shop.order([productId, 1]);
  for (let minute = 0; minute < 4; minute += 1) {
    await worker.drain();
    clock.advance(RESEND_AFTER_MS);
  }
  assert.equal((await shop.read(orderId)).status, "completed");
  assert.equal(sold.length, 2, "bought twice");
  isListed = true;
  assert.deepEqual(await lost(), []);

  assert.equal((await compare(day(-1), day(2))).counts.duplicate, 1);
  assert.deepEqual(await lost(), ["duplicate 1 80 USD"]);
  await compare(day(-2), day(3));
  assert.deepEqual(await lost(), ["duplicate 1 80 USD"], "two that overlap have it once");
  const [one] = await listLost(scrip.db, { ...month(), supplierId: upstream.id });
  assert.deepEqual(
    [one?.orderId, one?.reference, one?.upstreamId, one?.expectedMinor, one?.chargedMinor],
    [orderId, `${orderId}.0.0.1`, "70032", 80n, 80n],
  );
  assert.deepEqual(await listLost(scrip.db, { from: day(-20), to: day(-1) }), []);

  const { console, enter } = await openConsoleOn(scrip);
  const { from, to } = month();
  const span = `from=${from.toISOString().slice(0, 10)}&to=${to.toISOString().slice(0, 10)}`;
  const page = await (await enter("finance")).get(`/reports/lost?${span}`);
  assert.match(textOf(page.body), /Cards Paid twice: .{1,80} 1 0\.80 USD 0\.00 USD 0\.80 USD/);
  await console.close();

  // The supplier has corrected its books, and the newest comparison says so.
  sold.pop();
  await compare(day(-1), day(2));
  assert.deepEqual(await lost(), []);
});
