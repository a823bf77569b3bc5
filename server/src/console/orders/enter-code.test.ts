import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import type { Shop } from "../../../testing/builders/shop.ts";
import type { ConsoleVisit } from "../../../testing/people/console-desk.ts";
import { carriedBy, offeredBy, openOrderDesk, textOf } from "../../../testing/people/order-desk.ts";
import { PROOF_MS } from "../../accounts/sessions/session-life.ts";
import type { LookUpOutcome } from "../../suppliers/supplier.ts";

let orders: Awaited<ReturnType<typeof openOrderDesk>>;
let shop: Shop;
let support: ConsoleVisit;

before(async () => {
  orders = await openOrderDesk({ supplierName: "Nimbus <b>" });
  ({ shop } = orders);
});
after(() => orders?.close());

const SOLD: LookUpOutcome = {
  kind: "accepted",
  upstreamId: "70006",
  said: { httpStatus: 200, word: "SUCCESSFUL", upstreamId: "70006", state: "sold" },
};

async function soldOrder(units: number): Promise<string> {
  orders.supplier.answers = [SOLD];
  const id = await shop.order([orders.bought, units]);
  await orders.worker.drain();
  support = await orders.desk.enter("support");
  return id;
}

test("Enter code by hand: what it does, proof, then the unit is delivered, and neither the log nor a page has the code", async () => {
  const id = await soldOrder(1);
  const order = await support.get(`/orders/${id}`);
  assert.ok(offeredBy(order.body).includes("enter-code"));
  assert.match(textOf(order.body), /Enter code by hand/);
  const viewer = await orders.desk.enter("viewer");
  assert.ok(!offeredBy((await viewer.get(`/orders/${id}`)).body).includes("enter-code"));
  assert.equal((await viewer.get(`/orders/${id}/enter-code`)).statusCode, 403);

  const path = `/orders/${id}/enter-code`;
  shop.clock.advance(PROOF_MS + 1_000);
  const refused = await support.post(path, { unit: "0.0", code: "TEST-1" });
  assert.equal(refused.statusCode, 422, "what is wrong is said before proof is asked for");
  const unproved = await support.post(path, { unit: "0.0", code: "MAILED-1", note: "ticket 812" });
  assert.equal(unproved.statusCode, 403);
  assert.match(textOf(unproved.body), /Deliver the code that the supplier's support sent\. .* ticket 812/);
  assert.doesNotMatch(unproved.body, /MAILED-1/);
  assert.equal((await shop.read(id)).status, "processing");
  support = await orders.desk.enter("support");

  const page = await support.get(path);
  assert.deepEqual(carriedBy(page.body, "unit"), ["0.0"]);
  const text = textOf(page.body);
  for (const part of ["sold, code unreadable", "70006", "Buyer gets the code at once", "Can be undone no"])
    assert.ok(text.includes(part), part);
  const wrong = await support.post(path, { unit: "0.0", code: "", pin: "12", expiresAt: "31.12.2040" });
  assert.equal(wrong.statusCode, 422);
  assert.match(textOf(wrong.body), /Has neither a code nor a url|has neither a code nor a url/);
  assert.match(textOf(wrong.body), /Is neither a date/);

  const fields = { unit: "0.0", code: "MAILED-1", pin: "4711", expiresAt: "2040-12-31", note: "ticket 812" };
  const done = await support.post(path, fields);
  assert.deepEqual([done.statusCode, done.headers.location], [303, `/orders/${id}`], textOf(done.body));
  assert.equal((await shop.read(id)).status, "completed");
  const [code] = (await shop.codesOf(id)).json().data;
  assert.deepEqual([code.code, code.pin, code.expiresAt], ["MAILED-1", "4711", "2040-12-31T23:59:59.000Z"]);
  const after = await support.get(`/orders/${id}`);
  const said = textOf(after.body);
  assert.ok(said.includes(`Code entered by ${support.email}`) && said.includes("“ticket 812”"), said);
  assert.match(said, /delivered by hand/);
  const logged = await shop.scrip.db.rows(
    sql`select from activity where to_jsonb(activity)::text ~ 'MAILED|4711'`,
  );
  assert.deepEqual([logged.length, after.body.includes("MAILED-1")], [0, false]);
  await shop.assertHealthy();
});

test("of several units one is chosen first, and a code that was seen before is refused at once", async () => {
  const id = await soldOrder(2);
  const path = `/orders/${id}/enter-code`;
  const choice = await support.get(path);
  assert.match(textOf(choice.body), /Which unit\?.*line 1, unit 2/);
  const form = await support.get(`${path}?unit=0.1`);
  assert.deepEqual(carriedBy(form.body, "unit"), ["0.1"]);
  const first = await support.post(path, { unit: "0.1", code: "TWICE-1" });
  assert.equal(first.statusCode, 303, textOf(first.body));
  const again = await support.post(path, { unit: "0.0", code: "TWICE-1" });
  assert.equal(again.statusCode, 422);
  assert.match(textOf(again.body), /This code was seen before/);
  assert.equal((await shop.read(id)).lines[0]?.fulfilledQuantity, 1);
  const none = await support.post(path, { unit: "0.1", code: "TWICE-2" });
  assert.match(textOf(none.body), /has no purchase without an outcome/);
  await shop.assertHealthy();
});
