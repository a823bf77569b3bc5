import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { postOrder } from "../../../testing/builders/buyers.ts";
import { PRICE_MINOR, type Shop } from "../../../testing/builders/shop.ts";
import type { ConsoleVisit } from "../../../testing/people/console-desk.ts";
import { carriedBy, decide, offeredBy, openOrderDesk, textOf } from "../../../testing/people/order-desk.ts";
import { lost, type ScriptedSupplier, sold } from "../../../testing/upstream/scripted-supplier.ts";
import { PROOF_MS } from "../../accounts/sessions/session-life.ts";
import { refundOrder } from "../../fulfilment/refund/refund-order.ts";
import { newFormId } from "../../web/form/hidden-fields.ts";

let orders: Awaited<ReturnType<typeof openOrderDesk>>;
let shop: Shop;
let supplier: ScriptedSupplier;
let support: ConsoleVisit;
let balance: number;

before(async () => {
  orders = await openOrderDesk({ supplierName: "Nimbus <b>&" });
  ({ shop, supplier } = orders);
});
after(() => orders?.close());
beforeEach(async () => {
  shop.clock.advance(3_600_000);
  await shop.scrip.db.rows(sql`update suppliers set consecutive_failures = 0, open_until = null`);
  supplier.answers = [lost];
  support = await orders.desk.enter("support");
  balance = await orders.balance();
});

const paid = async () => balance - (await orders.balance());

/** With fresh proof of the person who looks at it. */
async function unknownOrder(units = 1): Promise<string> {
  const id = await orders.unknownOrder(units);
  support = await orders.desk.enter("support");
  return id;
}

test("orders of all resellers are listed and searched, hostile text is text, and a CSV has them all", async () => {
  const id = await shop.order([orders.bought, 2]);
  const nasty = `=cmd"<script>alert(1)</script>`;
  const body = { lines: [{ productId: orders.bought, quantity: 1 }], reference: nasty };
  const other = (await postOrder(shop.scrip, shop.buyer, "key with spaces", body)).json().order.id;
  const list = await support.get("/orders");
  assert.ok(list.body.includes(`/orders/${id}"`) && list.body.includes(`/orders/${other}"`));
  assert.ok(!list.body.includes("<script>alert") && !list.body.includes("<b>&"));
  for (const query of [id, "key with spaces", nasty]) {
    const found = await support.get(`/orders?q=${encodeURIComponent(query)}`);
    assert.equal(found.body.includes(`/orders/${other}"`), query !== id, query);
  }
  for (const query of ["status=failed", "resellerId=rsl_none", "productId=none", "env=test"])
    assert.match((await support.get(`/orders?${query}`)).body, /No orders/, query);
  for (const query of [`resellerId=${shop.buyer.resellerId}`, `productId=${orders.bought}`, "status=pending"])
    assert.ok((await support.get(`/orders?${query}`)).body.includes(id), query);
  assert.equal((await support.get("/orders?status=odd")).statusCode, 400);
  const csv = await support.get(`/orders.csv?productId=${orders.bought}&status=pending`);
  assert.match(String(csv.headers["content-disposition"]), /orders-live\.csv/);
  const lines = csv.body.trim().split("\r\n");
  assert.match(lines[0] ?? "", /^id,resellerId,resellerName,env,status,/);
  assert.equal(lines.filter((line) => line.startsWith(id)).length, 1);
  assert.ok(lines.some((line) => line.includes(`"'=cmd""<script>`)));
  for (const orderId of [id, other])
    await refundOrder(shop.scrip.db, shop.clock, { orderId, lines: undefined, reason: "done" });
});

test("an order's page has everything but codes, offers only what the rules allow, and to a viewer nothing", async () => {
  supplier.answers = [sold("SECRET-CODE-1"), lost];
  const id = await shop.order([orders.bought, 2]);
  await orders.worker.drain();
  shop.clock.advance(61_000);
  support = await orders.desk.enter("support");
  const page = (await support.get(`/orders/${id}`)).body;
  const text = textOf(page);
  for (const part of [
    "upstream of SECRET-CODE-1".slice(0, 10),
    "Nimbus &lt;b&gt;&amp;",
    "no answer in time",
    "0.80 USD",
    "Not known 0.80 USD may have been paid Margin so far 1.20 USD",
    "Balance after",
    "Routes now",
    "2.00 USD paid from the wallet",
  ])
    assert.ok(text.includes(part), part);
  assert.ok(page.includes(`data-copy="${id}.0.1.1"`));
  assert.ok(!page.includes(">SECRET-CODE-1<"));
  assert.deepEqual(offeredBy(page), ["look-up", "retry", "hold", "write-off", "enter-code"]);
  const viewer = await orders.desk.enter("viewer");
  assert.deepEqual(offeredBy((await viewer.get(`/orders/${id}`)).body), []);
  assert.equal((await support.get("/orders/ord_none")).statusCode, 404);
  assert.equal((await support.get(`/orders/${id}/explode`)).statusCode, 404);
});

test("a write-off says its amounts first, needs fresh proof and a reason, and pays exactly that", async () => {
  const id = await unknownOrder(2);
  const page = await support.get(`/orders/${id}/write-off`);
  const text = textOf(page.body);
  assert.match(text, /Write off 2 units, 2\.00 USD\?/);
  assert.match(text, /gets 2\.00 USD back now for 2 units/);
  assert.match(
    text,
    /may have paid 1\.60 USD for them: the supplier did not say\. That is not paid back to you\./,
  );
  assert.match(text, /goes to quarantine; nobody receives it/);
  assert.match(text, /The order becomes refunded/);
  const unnamed = await decide(support, id, "write-off", { reason: " " });
  assert.equal(unnamed.statusCode, 422);
  assert.match(unnamed.body, /Reason is required/);
  shop.clock.advance(PROOF_MS + 1_000);
  const unproved = await decide(support, id, "write-off");
  assert.equal(unproved.statusCode, 403);
  assert.match(unproved.body, /One-time code|Password/);
  assert.equal(await paid(), 2 * PRICE_MINOR);
  support = await orders.desk.enter("support");
  const done = await decide(support, id, "write-off");
  assert.deepEqual([done.statusCode, done.headers.location], [303, `/orders/${id}`]);
  assert.equal(await paid(), 0);
  await shop.assertHealthy();
  const after = textOf((await support.get(`/orders/${id}`)).body);
  assert.ok(after.includes(`Written off by ${support.email}`), after);
  assert.ok(after.includes("“no answer for an hour”"));
  const again = await decide(support, id, "write-off", { expected: "2:200" });
  assert.equal(again.statusCode, 422);
  assert.match(textOf(again.body), /No unit of this order waits for a purchase whose outcome is not known/);
  assert.equal(await paid(), 0);
});

test("an action that the rules forbid is refused with the reason when it is posted anyway, and so is one whose amounts have changed", async () => {
  const id = await unknownOrder(2);
  for (const [action, why] of [
    ["refund", /Look them up, or write them off/],
    ["release", /The refund is not on hold/],
  ] as const) {
    const reply = await decide(support, id, action, { expected: "2:200" });
    assert.equal(reply.statusCode, 422, action);
    assert.match(textOf(reply.body), why);
    assert.match(textOf((await support.get(`/orders/${id}/${action}`)).body), why);
  }
  const stale = await decide(support, id, "write-off", { expected: "1:100" });
  assert.equal(stale.statusCode, 422);
  assert.match(
    textOf(stale.body),
    /has changed: this would now pay back 2\.00 USD for 2 units, not 1\.00 USD for 1/,
  );
  assert.equal(await paid(), 2 * PRICE_MINOR);
  await shop.assertHealthy();
});

test("a retry needs fresh proof where it decides that a purchase was never made", async () => {
  const id = await unknownOrder();
  const pick = `${id} 1:0`;
  const retry = () => decide(support, id, "retry");
  const bulk = () =>
    support.post("/stuck/apply", { action: "retry", pick, reason: "asked", _form: newFormId() });
  const setState = (state: string | null) =>
    shop.scrip.db.rows(sql`update supplier_attempts set not_found_state = ${state} where order_id = ${id}`);
  shop.clock.advance(PROOF_MS + 1_000);
  await setState("books_differ");
  for (const asked of [await retry(), await bulk()]) {
    assert.equal(asked.statusCode, 403);
    assert.match(asked.body, /Confirm that it is you/);
  }
  const left = await shop.scrip.db.rows(
    sql`select not_found_state as state from supplier_attempts where order_id = ${id}`,
  );
  assert.deepEqual(left, [{ state: "books_differ" }]);
  await setState(null);
  assert.equal((await retry()).statusCode, 303);
});

test("a person holds, releases and retries, each with a sentence about money and a reason", async () => {
  const id = await unknownOrder();
  assert.match(textOf((await support.get(`/orders/${id}/hold`)).body), /At stake now: 1\.00 USD/);
  assert.equal((await decide(support, id, "hold")).statusCode, 303);
  const held = await support.get(`/orders/${id}`);
  assert.match(held.body, /The refund is on hold\.|refund held/);
  assert.deepEqual(offeredBy(held.body), ["look-up", "retry", "release", "write-off", "enter-code"]);
  assert.equal((await decide(support, id, "release")).statusCode, 303);
  assert.match(
    textOf((await support.get(`/orders/${id}/retry`)).body),
    /under the same reference, so it cannot be bought twice: the supplier refuses a repeated reference/,
  );
  supplier.answers = [sold("RETRIED")];
  const { lookUp } = supplier;
  // Orders of other tests stay unknown.
  supplier.lookUp = async (reference, known, goods) =>
    reference.startsWith(id) ? lookUp(reference, known, goods) : lost;
  assert.equal((await decide(support, id, "retry")).statusCode, 303);
  await orders.worker.drain();
  supplier.lookUp = lookUp;
  const asked = supplier.asked.filter((call) => call.includes(id));
  assert.deepEqual(asked, [`look up ${id}.0.0.1`]);
  assert.equal((await shop.read(id)).status, "completed");
  assert.equal(await paid(), PRICE_MINOR);
  await shop.assertHealthy();
});

test("chosen units are refunded: the page says their amount before, and only they are paid back", async () => {
  const id = await shop.order([await shop.addStocked(3), 3]);
  await orders.worker.drain();
  assert.match(textOf((await support.get(`/orders/${id}/refund`)).body), /Refund 3 units, 3\.00 USD\?/);
  const chosen = await support.post(`/orders/${id}/refund`, { units: ["0.0", "0.2"] });
  assert.equal(chosen.statusCode, 200);
  assert.match(textOf(chosen.body), /Refund 2 units, 2\.00 USD\?.*stay readable/);
  assert.equal(await paid(), 3 * PRICE_MINOR);
  const [expected = ""] = carriedBy(chosen.body, "expected");
  const done = await support.post(`/orders/${id}/refund`, {
    units: ["0.0", "0.2"],
    expected,
    reason: "two did not work",
  });
  assert.equal(done.statusCode, 303);
  assert.equal(await paid(), PRICE_MINOR);
  assert.equal((await shop.read(id)).lines[0]?.refundedQuantity, 2);
  await shop.assertHealthy();
});

test("two people decide about the same order at the same time: one succeeds, the other is told, nothing happens twice", async () => {
  const id = await unknownOrder(2);
  const other = await orders.desk.enter("admin");
  const replies = await Promise.all([decide(support, id, "write-off"), decide(other, id, "write-off")]);
  assert.deepEqual(replies.map(({ statusCode }) => statusCode).toSorted(), [303, 422]);
  const told = replies.find(({ statusCode }) => statusCode === 422);
  assert.match(textOf(told?.body ?? ""), /has been refunded already|No unit of this order waits/);
  assert.equal(await paid(), 0);
  const entries = await shop.scrip.db.rows(
    sql`select from ledger_entries where order_id = ${id} and type = 'refund'`,
  );
  assert.equal(entries.length, 1);
  await shop.assertHealthy();
});

test("unknown outcomes are listed with what was asked and answered, and looked up with one click", async () => {
  const id = await unknownOrder();
  await shop.scrip.db.rows(sql`update suppliers set open_until = 'infinity' where id = ${orders.supplierId}`);
  const page = await support.get("/unknown");
  const text = textOf(page.body);
  assert.match(text, /no outcome for up to/);
  assert.match(text, /not known Nimbus [^:]+: no answer in time/);
  assert.match(text, /0\.80 USD 1\.00 USD/);
  assert.deepEqual(
    carriedBy(page.body, "id").filter((one) => one === id),
    [id],
  );
  assert.ok(!(await support.get("/unknown?older=1h")).body.includes(`${id}.0.0.1`));
  assert.ok(!(await support.get("/unknown?supplier=sup_none")).body.includes(`${id}.0.0.1`));
  supplier.answers = [sold("LOOKED-UP-CODE")];
  const done = await support.post("/unknown/look-up", { id });
  assert.deepEqual([done.statusCode, done.headers.location], [303, "/unknown"]);
  assert.deepEqual(supplier.asked, [`look up ${id}.0.0.1`]);
  assert.equal((await shop.read(id)).status, "completed");
  const again = await support.post("/unknown/look-up", { id });
  assert.equal(again.statusCode, 422);
  assert.match(textOf(again.body), /Every purchase of this order has an outcome/);
  assert.equal((await support.post("/unknown/look-up", { id: "ord_none" })).statusCode, 404);
  assert.equal(await paid(), PRICE_MINOR);
  await shop.assertHealthy();
});

test("stuck orders are acted on in bulk: each amount is said first, each is done by itself, and one that has changed is refused", async () => {
  const [one, two] = [await unknownOrder(2), await unknownOrder()];
  const fine = await shop.order([await shop.addStocked(1), 1]);
  await orders.worker.drain();
  shop.clock.advance(15 * 60_000);
  support = await orders.desk.enter("support");
  const list = await support.get("/stuck?why=unknown_outcome");
  for (const id of [one, two]) assert.ok(list.body.includes(`value="${id}"`), id);
  assert.ok(!list.body.includes(fine));
  const review = await support.post("/stuck/review", { action: "write_off", order: [one, two, fine] });
  const text = textOf(review.body);
  assert.match(text, /Write off, 2 of 3/);
  assert.match(text, /In all 3\.00 USD goes back to resellers/);
  assert.match(text, /left out No unit of this order waits/);
  assert.equal(await paid(), 4 * PRICE_MINOR);
  const pick = carriedBy(review.body, "pick");
  assert.deepEqual(pick, [`${one} 2:200`, `${two} 1:100`]);
  await refundOrder(shop.scrip.db, shop.clock, {
    orderId: two,
    lines: undefined,
    reason: "someone was first",
  });
  const unnamed = await support.post("/stuck/apply", { action: "write_off", pick, reason: "" });
  assert.equal(unnamed.statusCode, 422);
  assert.match(unnamed.body, /Reason is required/);
  const form = { action: "write_off", pick, reason: "no answer", _form: "AAAAAAAAAAAAAAAAAAAAAA" };
  const done = await support.post("/stuck/apply", form);
  const result = textOf(done.body);
  assert.match(result, /Write off: 1 of 2 done/);
  assert.match(result, /2 units written off: .* got 2\.00 USD back/);
  assert.match(result, /refused No unit of this order waits/);
  assert.equal(await paid(), PRICE_MINOR);
  assert.equal((await support.post("/stuck/apply", form)).statusCode, 409);
  const many = Array.from({ length: 26 }, (_, index) => `ord_${index}`);
  for (const [order, why] of [
    [many, /Select at most 25 orders\. You selected 26\./],
    [[], /Select at least one order/],
  ] as const) {
    const refused = await support.post("/stuck/review", { action: "retry", order });
    assert.equal(refused.statusCode, 422);
    assert.match(textOf(refused.body), why);
  }
  assert.equal((await support.post("/stuck/review", { action: "explode", order: [one] })).statusCode, 422);
  assert.match((await support.get("/stuck?env=test")).body, /Nothing is stuck/);
  await shop.assertHealthy();
});
