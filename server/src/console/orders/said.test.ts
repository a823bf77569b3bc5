import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Shop } from "../../../testing/builders/shop.ts";
import type { ConsoleVisit } from "../../../testing/people/console-desk.ts";
import { openOrderDesk, textOf } from "../../../testing/people/order-desk.ts";
import { lost, sold as soldCode } from "../../../testing/upstream/scripted-supplier.ts";
import { evaluateAlerts } from "../../alerts/evaluate-alerts.ts";
import { listAlerts } from "../../alerts/list-alerts.ts";
import { refundOrder } from "../../fulfilment/refund/refund-order.ts";
import type { LookUpOutcome, Said } from "../../suppliers/supplier.ts";

let orders: Awaited<ReturnType<typeof openOrderDesk>>;
let shop: Shop;
let support: ConsoleVisit;

before(async () => {
  orders = await openOrderDesk({ supplierName: "Nimbus" });
  ({ shop } = orders);
});
after(() => orders?.close());

const accepted = (said: Said): LookUpOutcome => ({
  kind: "accepted",
  upstreamId: said.upstreamId ?? "70001",
  price: { amountMinor: 75n, currency: "USD" },
  said,
});
const SOLD = accepted({ httpStatus: 200, word: "SUCCESSFUL", upstreamId: "70006", state: "sold" });
const PENDING = accepted({ httpStatus: 202, word: "PENDING", upstreamId: "70007" });
const UNBELIEVED: LookUpOutcome = {
  kind: "unknown",
  reason: "nonsense",
  said: { httpStatus: 200, word: "ON HOLD", upstreamId: "70008" },
};

/** An order whose purchase was answered like this, more than a quarter of an hour ago. */
async function orderSaid(...answers: LookUpOutcome[]): Promise<string> {
  orders.supplier.answers = answers;
  const id = await shop.order([orders.bought, 1]);
  await orders.worker.drain();
  shop.clock.advance(20 * 60_000);
  await orders.worker.drain();
  support = await orders.desk.enter("support");
  return id;
}

/** Its purchase is not asked about by the worker of a later test. */
const end = (id: string) =>
  refundOrder(shop.scrip.db, shop.clock, { orderId: id, lines: undefined, which: "unknown", reason: "over" });

const CASES = [
  {
    answers: [SOLD],
    chip: "sold, code unreadable",
    list: "Nimbus : accepted (SUCCESSFUL, HTTP 200), then 1 look-up: accepted (SUCCESSFUL, HTTP 200)",
    id: "70006",
    money:
      "have paid for 1 unit: the supplier sold it and its code could not be read (transaction 70006, 0.75 USD). Claim it from the supplier.",
    alert: "a supplier sold a unit and its code has not been readable",
  },
  {
    answers: [PENDING],
    chip: "pending there",
    list: "Nimbus : accepted (PENDING, HTTP 202), then 1 look-up: accepted (PENDING, HTTP 202)",
    id: "70007",
    money:
      "may still pay 0.75 USD for 1 unit: pending at the supplier (transaction 70007). That is not paid back to you.",
    alert: "a purchase has been pending at its supplier",
  },
  {
    answers: [lost, UNBELIEVED],
    chip: "not known",
    list: "Nimbus : no answer in time, then 1 look-up: an answer that cannot be used (ON HOLD, HTTP 200)",
    id: "70008",
    money:
      "may have paid 0.80 USD for it: the supplier did not say (transaction 70008). That is not paid back to you.",
    alert: "a purchase has had no outcome",
  },
];

for (const { answers, chip, list, id: theirs, money, alert } of CASES)
  test(`${chip}: lists, the order, the write-off, the bulk page and the alert say so, with the supplier's own words`, async () => {
    const id = await orderSaid(...answers);
    const unknown = textOf((await support.get("/unknown")).body);
    assert.ok(unknown.includes(`${chip} ${list}`), unknown);
    assert.ok(unknown.includes(`theirs ${theirs}`), unknown);
    assert.ok(!unknown.includes("nonsense"));
    const stuck = textOf((await support.get("/stuck")).body);
    assert.ok(stuck.includes(chip === "not known" ? "Unknown outcome a supplier has not" : chip), stuck);
    const order = textOf((await support.get(`/orders/${id}`)).body);
    for (const part of [
      `open ${chip}`.slice(5),
      theirs,
      `answer: ${list.split(": ").at(-1)}`,
      "looked up at Nimbus",
    ])
      assert.ok(order.includes(part), `${part} in ${order}`);
    const writeOff = textOf((await support.get(`/orders/${id}/write-off`)).body);
    assert.ok(writeOff.includes(money), writeOff);
    const review = await support.post("/stuck/review", { order: id, action: "write_off" });
    assert.ok(textOf(review.body).includes(`You ${money}`), textOf(review.body));
    shop.clock.advance(3_600_000);
    await evaluateAlerts({ db: shop.scrip.db, clock: shop.clock, consoleUrl: "https://console.example" });
    const { open } = await listAlerts(shop.scrip.db, shop.clock.now());
    const raised = open.find(({ subject }) => subject === id);
    assert.ok(raised?.title.startsWith(`Order ${id}: ${alert} since `), raised?.title);
    await end(id);
  });

test("a class outlives an answer that is lost, and a later one replaces it", async () => {
  const chipsOf = async (id: string) => textOf((await support.get(`/orders/${id}`)).body);
  const kept = await orderSaid(SOLD, lost);
  assert.match(
    await chipsOf(kept),
    /sold, code unreadable accepted \(SUCCESSFUL, HTTP 200\), then .* no answer in time/,
  );
  await end(kept);
  const later = await orderSaid(PENDING, SOLD);
  assert.match(await chipsOf(later), /sold, code unreadable/);
});

test("an order shows what each purchase was expected to cost beside what was charged", async () => {
  const order = async (answer: LookUpOutcome) =>
    textOf((await support.get(`/orders/${await orderSaid(answer)}`)).body);
  const price = (amountMinor: bigint) => ({ price: { amountMinor, currency: "USD" } });
  assert.match(await order({ ...soldCode("E-1"), ...price(80n) }), /0\.80 USD 0\.80 USD/);
  assert.match(await order({ ...soldCode("E-2"), ...price(75n) }), /0\.80 USD 0\.75 USD 0\.05 USD less/);
  assert.match(await order(soldCode("E-3")), /0\.80 USD 0\.80 USD as expected; the supplier did not say/);
  assert.match(await order({ ...soldCode("E-4"), ...price(84n) }), /0\.80 USD 0\.84 USD 0\.04 USD more/);
});
