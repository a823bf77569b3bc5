import assert from "node:assert/strict";
import { test } from "node:test";
import {
  codesAnswer,
  foundAnswer,
  placedAnswer,
  problemAnswer,
  type ScriptedAnswer,
  scriptedCode,
  supplierOf,
} from "../../testing/upstream/scripted-scrip.ts";
import { judgePrice } from "./price-guard.ts";
import type { PriceLimit, PurchaseOutcome, ToldPrice } from "./supplier.ts";

const LIMIT: PriceLimit = { expectedMinor: 250n, maxMinor: 300n, currency: "USD" };
const REQUEST = { reference: "ours-1", sku: "card", inputFields: null, limit: LIMIT };
const usd = (amount: number) => ({ amount, currency: "USD" });
const price = (amountMinor: bigint, currency = "USD"): ToldPrice => ({ amountMinor, currency });
const changed = (currentTotal: unknown): ScriptedAnswer =>
  problemAnswer(409, "price_changed", { currentTotal });

/** Answers in turn; the last one stays. */
const inTurn = (...answers: ScriptedAnswer[]): ScriptedAnswer => {
  let next = 0;
  return () => {
    const answer = answers[Math.min(next, answers.length - 1)];
    next += 1;
    return answer?.() ?? assert.fail("no answer");
  };
};
const expectedOf = (heard: readonly { verb: string; body: unknown }[]) =>
  heard
    .filter(({ verb }) => verb === "place")
    .map(({ body }) => (body as { expectedTotal?: number }).expectedTotal);

test("a price is as expected, differs within the limit, or is beyond it", () => {
  assert.equal(judgePrice(price(250n), LIMIT), "as_expected");
  assert.equal(judgePrice(price(249n), LIMIT), "differs");
  assert.equal(judgePrice(price(300n), LIMIT), "differs");
  assert.equal(judgePrice(price(301n), LIMIT), "beyond_limit");
  assert.equal(judgePrice(price(250n, "JPY"), LIMIT), "beyond_limit");
  assert.equal(judgePrice("unreadable", LIMIT), "beyond_limit");
});

/** What an answer means, without the supplier's own words. */
const meantBy = ({ said: _said, ...meaning }: PurchaseOutcome) => meaning;

test("the expected total goes with the order, and the price of the answer comes back", async () => {
  const { supplier, heard } = supplierOf({ place: placedAnswer("pending") });
  assert.deepEqual(meantBy(await supplier.buy(REQUEST)), {
    kind: "accepted",
    upstreamId: "ord_1",
    price: price(250n),
  });
  assert.deepEqual(expectedOf(heard), [250]);
  await supplier.buy({ ...REQUEST, limit: undefined });
  assert.deepEqual(expectedOf(heard), [250, undefined]);
});

test("what an order says that it costs comes with its goods", async () => {
  const total = { total: { amount: 999_999_999, currency: "JPY" } };
  const { supplier } = supplierOf({
    place: placedAnswer("completed"),
    get: foundAnswer("completed", total),
    codes: codesAnswer([scriptedCode()]),
  });
  const outcome = await supplier.buy(REQUEST);
  assert.ok(outcome.kind === "delivered");
  assert.deepEqual(outcome.price, price(999_999_999n, "JPY"));
});

test("a total in a currency that there is not is unreadable", async () => {
  const { supplier } = supplierOf({
    place: placedAnswer("pending", { total: { amount: 1, currency: "ZZZ" } }),
  });
  const outcome = meantBy(await supplier.buy(REQUEST));
  assert.deepEqual(outcome, { kind: "accepted", upstreamId: "ord_1", price: "unreadable" });
});

test("a changed price within the limit is sent again once, under the same reference", async () => {
  for (const amount of [100, 300]) {
    const { supplier, heard } = supplierOf({
      place: inTurn(changed(usd(amount)), placedAnswer("pending", { total: usd(amount) })),
    });
    const outcome = meantBy(await supplier.buy(REQUEST));
    assert.deepEqual(outcome, { kind: "accepted", upstreamId: "ord_1", price: price(BigInt(amount)) });
    assert.deepEqual(expectedOf(heard), [250, amount]);
    assert.deepEqual(
      heard.map(({ headers }) => headers.get("idempotency-key")),
      ["ours-1", "ours-1"],
    );
  }
});

test("a price that changes again is refused and not tried a third time", async () => {
  const { supplier, heard } = supplierOf({ place: inTurn(changed(usd(260)), changed(usd(270))) });
  const outcome = meantBy(await supplier.buy(REQUEST));
  const refused = { kind: "refused", failureCode: "temporarily_unavailable", supplierFault: false };
  assert.deepEqual(outcome, { ...refused, price: price(270n) });
  assert.deepEqual(expectedOf(heard), [250, 260]);
});

const BEYOND: [what: string, currentTotal: unknown, told: ToldPrice][] = [
  ["above the limit", usd(301), price(301n)],
  ["in another currency", { amount: 250, currency: "JPY" }, price(250n, "JPY")],
  ["below zero", usd(-1), "unreadable"],
  ["no amount", "260", "unreadable"],
  ["not there", undefined, "unreadable"],
  ["the one that was expected", usd(250), price(250n)],
];
for (const [what, currentTotal, told] of BEYOND) {
  test(`a changed price that is ${what} is refused, and nothing is sent again`, async () => {
    const { supplier, heard } = supplierOf({ place: changed(currentTotal) });
    const outcome = meantBy(await supplier.buy(REQUEST));
    const refused = { kind: "refused", failureCode: "temporarily_unavailable", supplierFault: false };
    assert.deepEqual(outcome, { ...refused, price: told });
    assert.deepEqual(expectedOf(heard), [250]);
  });
}
