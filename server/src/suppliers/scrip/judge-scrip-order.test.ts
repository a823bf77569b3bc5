import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import {
  codesAnswer,
  foundAnswer,
  noAnswer,
  noConnection,
  pageAnswer,
  placedAnswer,
  problemAnswer,
  type ScriptedAnswer,
  type ScriptedAnswers,
  scriptedCode,
  scriptedOrder,
  supplierOf,
  told,
} from "../../../testing/upstream/scripted-scrip.ts";

const REQUEST = { reference: "ours-1", sku: "card", inputFields: null };
const DELIVERED = 'delivered ord_1 {"type":"code","code":"ABCD-EFGH"}';
const codes = codesAnswer([scriptedCode()]);

const TWO_LINES = ["card", "other"].flatMap((productId) => scriptedOrder("failed", {}, { productId }).lines);

/** What is read of an order that may have been placed, by its id. */
const READINGS: [what: string, answers: ScriptedAnswers, outcome: string][] = [
  ["completed", { get: foundAnswer("completed"), codes }, DELIVERED],
  ["pending", { get: foundAnswer("pending") }, "accepted ord_1"],
  ["processing", { get: foundAnswer("processing") }, "accepted ord_1"],
  [
    "failed",
    { get: foundAnswer("failed", {}, { failureCode: "invalid_account" }) },
    "refused invalid_account",
  ],
  ["failed for no reason", { get: foundAnswer("failed") }, "refused rejected_by_issuer"],
  ["refunded", { get: foundAnswer("refunded", {}, { failureCode: "out_of_stock" }) }, "refused out_of_stock"],
  [
    "refunded for a new reason",
    { get: foundAnswer("refunded", {}, { failureCode: "toString" }) },
    "refused rejected_by_issuer",
  ],
  [
    "refunded after delivery",
    { get: foundAnswer("refunded", {}, { fulfilledQuantity: 1 }) },
    "refused rejected_by_issuer",
  ],
  [
    "refunded in part",
    { get: foundAnswer("refunded", { refundedTotal: { amount: 1, currency: "USD" } }) },
    "unknown: nonsense",
  ],
  ["failed and delivered", { get: foundAnswer("failed", {}, { fulfilledQuantity: 1 }) }, "unknown: nonsense"],
  [
    "completed and not delivered",
    { get: foundAnswer("completed", {}, { fulfilledQuantity: 0 }) },
    "unknown: nonsense",
  ],
  [
    "completed twice over",
    { get: foundAnswer("completed", {}, { fulfilledQuantity: 2 }) },
    "unknown: nonsense",
  ],
  ["a status of tomorrow", { get: foundAnswer("expired") }, "unknown: nonsense"],
  ["another order", { get: foundAnswer("refunded", { id: "ord_2" }) }, "unknown: nonsense"],
  ["another reference", { get: foundAnswer("failed", { reference: "ours-2" }) }, "unknown: nonsense"],
  ["no reference", { get: foundAnswer("failed", { reference: undefined }) }, "unknown: nonsense"],
  ["two units", { get: foundAnswer("failed", {}, { quantity: 2 }) }, "unknown: nonsense"],
  ["two lines", { get: foundAnswer("failed", { lines: TWO_LINES }) }, "unknown: nonsense"],
  ["no lines", { get: foundAnswer("failed", { lines: [] }) }, "unknown: nonsense"],
  ["404", { get: problemAnswer(404, "not_found") }, "unknown: missing"],
  ["401", { get: problemAnswer(401, "unauthenticated") }, "unknown: not_authorized"],
  ["402", { get: problemAnswer(402, "insufficient_funds") }, "unknown: nonsense"],
  ["403", { get: problemAnswer(403, "forbidden") }, "unknown: not_authorized"],
  ["422", { get: problemAnswer(422, "out_of_stock") }, "unknown: nonsense"],
  ["429", { get: problemAnswer(429, "rate_limited") }, "unknown: busy"],
  ["503", { get: problemAnswer(503, "service_unavailable") }, "unknown: server_error"],
  ["no connection", { get: noConnection }, "unknown: connection_failed"],
  ["no answer", { get: noAnswer }, "unknown: timeout"],
];

const withCodes = (
  what: string,
  answer: ScriptedAnswer,
  outcome: string,
): [string, ScriptedAnswers, string] => [
  `completed, its codes ${what}`,
  { get: foundAnswer("completed"), codes: answer },
  outcome,
];

READINGS.push(
  withCodes("none", codesAnswer([]), "unknown: nonsense"),
  withCodes("two", codesAnswer([scriptedCode(), scriptedCode({ code: "B" })]), "unknown: nonsense"),
  withCodes("of another order", codesAnswer([scriptedCode()], { orderId: "ord_2" }), "unknown: nonsense"),
  withCodes("of another line", codesAnswer([scriptedCode({ lineIndex: 1 })]), "unknown: nonsense"),
  withCodes("of another product", codesAnswer([scriptedCode({ productId: "b" })]), "unknown: nonsense"),
  withCodes("of a new type", codesAnswer([scriptedCode({ type: "esim" })]), "unknown: nonsense"),
  withCodes("empty", codesAnswer([scriptedCode({ code: "" })]), "unknown: nonsense"),
  withCodes("of a sandbox", codesAnswer([scriptedCode({ code: "TEST-1" })]), "unknown: sandbox"),
  withCodes("not there yet", problemAnswer(409, "order_not_fulfilled"), "unknown: not_delivered"),
  withCodes("not to be seen", problemAnswer(403, "forbidden"), "unknown: not_authorized"),
  withCodes("refused by 401", problemAnswer(401, "unauthenticated"), "unknown: not_authorized"),
  withCodes("refused by 402", problemAnswer(402, "insufficient_funds"), "unknown: nonsense"),
  withCodes("not found", problemAnswer(404, "not_found"), "unknown: missing"),
  withCodes("lost", noConnection, "unknown: connection_failed"),
  withCodes("never sent", noAnswer, "unknown: timeout"),
);

for (const [what, answers, outcome] of READINGS) {
  test(`an order that reads as ${what}: ${outcome}`, async () => {
    const list = pageAnswer([]);
    const byId = await supplierOf({ ...answers, list }, outcome).supplier.lookUp("ours-1", "ord_1");
    assert.equal(told(byId), outcome, "looked up by its id");
    assert.doesNotMatch(inspect(byId, { depth: null }), /UNTOLD|ABCD/);
    for (const status of ["completed", "failed", "refunded", "a new one"]) {
      const { supplier } = supplierOf({ ...answers, place: placedAnswer(status) }, outcome);
      const replay = await supplier.buy(REQUEST);
      assert.equal(told(replay), outcome, `bought again, and answered ${status}`);
    }
  });
}
