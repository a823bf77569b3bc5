import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import {
  codesAnswer,
  foundAnswer,
  jsonAnswer,
  noAnswer,
  noConnection,
  pageAnswer,
  placedAnswer,
  problemAnswer,
  proxyPage,
  SCRIPTED_KEY,
  type ScriptedAnswer,
  type ScriptedAnswers,
  SHORT_MS,
  scriptedCode,
  scriptedOrder,
  supplierOf,
  told,
} from "../../../testing/upstream/scripted-scrip.ts";

const REQUEST = { reference: "ours-1", sku: "card", inputFields: null };

const plain = (status: number, code: string) => jsonAnswer({ status, code, detail: "d" }, status);
const lying = (status: number, code: string) => problemAnswer(status, code, { status: 422 });
const noProduct = { errors: [{ pointer: "/lines/0/productId", code: "not_found", detail: "UNTOLD" }] };

const DELIVERED = 'delivered ord_1 {"type":"code","code":"ABCD-EFGH"}';
const codes = codesAnswer([scriptedCode()]);

const PLACEMENTS: [what: string, place: ScriptedAnswer, outcome: string][] = [
  ["a pending order", placedAnswer("pending"), "accepted ord_1"],
  ["an order in process", placedAnswer("processing"), "accepted ord_1"],
  ["an id that no path can hold", placedAnswer("pending", { id: "../x" }), "unknown: nonsense"],
  ["an id of dots", placedAnswer("pending", { id: ".." }), "unknown: nonsense"],
  ["an id too long to keep", placedAnswer("pending", { id: "x".repeat(201) }), "unknown: nonsense"],

  [
    "400 invalid_request",
    problemAnswer(400, "invalid_request"),
    "refused temporarily_unavailable, its fault",
  ],
  [
    "400 idempotency_key_invalid",
    problemAnswer(400, "idempotency_key_invalid"),
    "refused temporarily_unavailable, its fault",
  ],
  ["401", problemAnswer(401, "unauthenticated"), "refused temporarily_unavailable, its fault"],
  ["402", problemAnswer(402, "insufficient_funds"), "refused temporarily_unavailable, its fault"],
  ["403 forbidden", problemAnswer(403, "forbidden"), "refused temporarily_unavailable, its fault"],
  ["403 ip_not_allowed", problemAnswer(403, "ip_not_allowed"), "refused temporarily_unavailable, its fault"],
  ["404 of the product", problemAnswer(404, "not_found", noProduct), "refused out_of_stock"],
  ["404 of the path", problemAnswer(404, "not_found"), "refused temporarily_unavailable, its fault"],
  ["409 price_changed", problemAnswer(409, "price_changed"), "refused temporarily_unavailable"],
  ["422 product_not_purchasable", problemAnswer(422, "product_not_purchasable"), "refused out_of_stock"],
  ["422 out_of_stock", problemAnswer(422, "out_of_stock"), "refused out_of_stock"],
  ["422 quantity_out_of_range", problemAnswer(422, "quantity_out_of_range"), "refused out_of_stock"],
  ["422 currency_mismatch", problemAnswer(422, "currency_mismatch"), "refused temporarily_unavailable"],
  ["422 invalid_input_field", problemAnswer(422, "invalid_input_field"), "refused invalid_account"],

  ["400 idempotency_key_missing", problemAnswer(400, "idempotency_key_missing"), "unknown: nonsense"],
  ["405", problemAnswer(405, "method_not_allowed"), "unknown: nonsense"],
  ["409 idempotency_conflict", problemAnswer(409, "idempotency_conflict"), "unknown: conflict"],
  ["409 idempotency_in_progress", problemAnswer(409, "idempotency_in_progress"), "unknown: busy"],
  ["422 of a new code", problemAnswer(422, "something_new"), "unknown: nonsense"],
  ["422 of another's code", problemAnswer(422, "insufficient_funds"), "unknown: nonsense"],
  ["429", problemAnswer(429, "rate_limited"), "unknown: busy"],
  ["429 of a proxy", proxyPage(429), "unknown: busy"],
  ["500", problemAnswer(500, "internal_error"), "unknown: server_error"],
  ["500 that calls itself a refusal", problemAnswer(500, "out_of_stock"), "unknown: server_error"],
  ["502 of a proxy", proxyPage(502), "unknown: server_error"],
  ["503", problemAnswer(503, "service_unavailable"), "unknown: server_error"],
  ["402 of a proxy", proxyPage(402), "unknown: nonsense"],
  ["402 in plain JSON", plain(402, "insufficient_funds"), "unknown: nonsense"],
  ["402 whose body has another status", lying(402, "insufficient_funds"), "unknown: nonsense"],
  ["a redirect", jsonAnswer("", 302), "unknown: nonsense"],
  ["200 in place of 202", jsonAnswer({ order: scriptedOrder("pending") }), "unknown: nonsense"],
  ["202 without an order", jsonAnswer({}, 202), "unknown: nonsense"],
  ["202 of a proxy", proxyPage(202), "unknown: nonsense"],
  ["no connection", noConnection, "unknown: connection_failed"],
  ["no answer", noAnswer, "unknown: timeout"],
];

for (const [what, place, outcome] of PLACEMENTS) {
  test(`buy, answered by ${what}: ${outcome}`, async () => {
    const { supplier, heard } = supplierOf({ place }, outcome);
    const result = await supplier.buy(REQUEST);
    assert.equal(told(result), outcome);
    assert.doesNotMatch(inspect(result), /UNTOLD/);
    assert.equal(heard.length, 1);
  });
}

const FINDINGS: [what: string, answers: ScriptedAnswers, outcome: string][] = [
  ["nothing", { list: pageAnswer([]) }, "not found"],
  ["nothing yet, and more to come", { list: pageAnswer([], true) }, "unknown: nonsense"],
  ["a pending order", { list: pageAnswer([scriptedOrder("pending")]) }, "accepted ord_1"],
  ["a completed order", { list: pageAnswer([scriptedOrder("completed")]), codes }, DELIVERED],
  ["a failed order", { list: pageAnswer([scriptedOrder("failed")]) }, "refused rejected_by_issuer"],
  [
    "an order of another reference",
    { list: pageAnswer([scriptedOrder("failed", { reference: "x" })]) },
    "unknown: nonsense",
  ],
  [
    "an order with a strange id",
    { list: pageAnswer([scriptedOrder("failed", { id: "a/b" })]) },
    "unknown: nonsense",
  ],
  [
    "two orders",
    { list: pageAnswer([scriptedOrder("failed"), scriptedOrder("failed")]) },
    "unknown: nonsense",
  ],
  ["401", { list: problemAnswer(401, "unauthenticated") }, "unknown: not_authorized"],
  ["404", { list: problemAnswer(404, "not_found") }, "unknown: missing"],
  ["400", { list: problemAnswer(400, "invalid_request") }, "unknown: nonsense"],
  ["an empty object", { list: jsonAnswer({}) }, "unknown: nonsense"],
  ["a page of a proxy", { list: proxyPage(200) }, "unknown: nonsense"],
  ["502", { list: proxyPage(502) }, "unknown: server_error"],
  ["no connection", { list: noConnection }, "unknown: connection_failed"],
  ["no answer", { list: noAnswer }, "unknown: timeout"],
];

for (const [what, answers, outcome] of FINDINGS) {
  test(`a look-up by reference that finds ${what}: ${outcome}`, async () => {
    const { supplier, heard } = supplierOf(answers, outcome);
    assert.equal(told(await supplier.lookUp("ours-1", undefined)), outcome);
    assert.equal(heard[0]?.url.searchParams.get("idempotencyKey"), "ours-1");
  });
}

test("an id that leads nowhere, or to another's order, is set right by the reference", async () => {
  const list = pageAnswer([scriptedOrder("completed")]);
  for (const get of [
    problemAnswer(404, "not_found"),
    foundAnswer("failed", { id: "ord_9", reference: "theirs" }),
  ]) {
    assert.equal(told(await supplierOf({ get, list, codes }).supplier.lookUp("ours-1", "ord_9")), DELIVERED);
  }
});

test("a replayed order of another product is not ours, however it ended", async () => {
  const answers = { place: placedAnswer("failed"), get: foundAnswer("failed", {}, { productId: "other" }) };
  assert.equal(told(await supplierOf(answers).supplier.buy(REQUEST)), "unknown: nonsense");
});

test("an order of another product that a look-up finds is not ours, by its id or by the reference", async () => {
  const other = [{}, { productId: "other" }] as const;
  const answers = {
    get: foundAnswer("completed", ...other),
    list: pageAnswer([scriptedOrder("completed", ...other)]),
    codes: codesAnswer([scriptedCode({ productId: "other" })]),
  };
  for (const upstreamId of ["ord_1", undefined]) {
    const outcome = await supplierOf(answers).supplier.lookUp("ours-1", upstreamId, REQUEST);
    assert.equal(told(outcome), "unknown: nonsense");
  }
  const own = { get: foundAnswer("completed"), codes };
  assert.equal(told(await supplierOf(own).supplier.lookUp("ours-1", "ord_1", REQUEST)), DELIVERED);
});

test("an order is one unit under the reference, with input fields only where there are any", async () => {
  const { supplier, heard } = supplierOf({ place: placedAnswer("pending") });
  await supplier.buy(REQUEST);
  await supplier.buy({ ...REQUEST, inputFields: {} });
  await supplier.buy({ ...REQUEST, inputFields: { player: "12345" } });
  const line = { productId: "card", quantity: 1 };
  assert.deepEqual(
    heard.map(({ body }) => body),
    [
      { lines: [line], reference: "ours-1" },
      { lines: [line], reference: "ours-1" },
      { lines: [{ ...line, inputFields: { player: "12345" } }], reference: "ours-1" },
    ],
  );
  for (const { url, headers } of heard) {
    assert.equal(url.href, "https://upstream.example/api/v1/orders");
    assert.equal(headers.get("idempotency-key"), "ours-1");
    assert.equal(headers.get("x-api-key"), SCRIPTED_KEY);
  }
});

test("one timeout covers all calls of a purchase together", async () => {
  const slowly =
    (answer: ScriptedAnswer): ScriptedAnswer =>
    async () => {
      await new Promise((resolve) => setTimeout(resolve, SHORT_MS * 0.6));
      return answer();
    };
  const answers = { place: slowly(placedAnswer("completed")), get: slowly(foundAnswer("completed")), codes };
  const { supplier } = supplierOf(answers, "unknown: timeout");
  assert.equal(told(await supplier.buy(REQUEST)), "unknown: timeout");
});

test("the supplier shows no key", () => {
  const printed = inspect(supplierOf({}).supplier, { depth: null, showHidden: true });
  assert.equal(printed.includes(SCRIPTED_KEY), false);
});
