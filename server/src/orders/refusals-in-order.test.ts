import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, balanceOf, ordersOf, postOrder } from "../../testing/builders/buyers.ts";

let scrip: TestApp;
let buyer: Buyer;

before(async () => {
  scrip = await createTestApp();
  await addProducts(scrip.db, [
    { id: "card" },
    { id: "unpriced" },
    { id: "routeless", supply: "none" },
    { id: "sold-out", supply: "empty", inputFields: [PLAYER] },
    { id: "hidden", hidden: true },
    { id: "top-up", inputFields: [PLAYER] },
  ]);
  for (const productId of ["card", "hidden", "top-up", "routeless", "sold-out"])
    await addListPrice(scrip.db, { productId, amountMinor: 250n });
  buyer = await addBuyer(scrip, "10.00");
  const bound = { lines: [topUp(77)] };
  assert.equal((await postOrder(scrip, buyer, "bound", bound)).statusCode, 202);
});

after(() => scrip.close());

const PLAYER = { key: "playerId", type: "text", required: true, regex: "^[0-9]+$", options: [] };
const line = (productId: string, quantity = 1) => ({ productId, quantity });
const topUp = (playerId: unknown) => ({ ...line("top-up"), inputFields: { playerId } });

/** CONTRACT 1, Check order: the body (400), then the object (404), then business rules, the wallet last. */
const REFUSALS: [string, object, number, string, string | undefined][] = [
  [
    "a bad member before an unknown product",
    { lines: [line("none")], total: 1 },
    400,
    "invalid_request",
    "/total",
  ],
  [
    "a later unknown product before an earlier line's quantity",
    { lines: [line("card", 99), line("none")] },
    404,
    "not_found",
    "/lines/1/productId",
  ],
  [
    "a hidden product before an unpriced one",
    { lines: [line("unpriced"), line("hidden")] },
    404,
    "not_found",
    "/lines/1/productId",
  ],
  [
    "an unknown product before a value of the wrong kind",
    { lines: [topUp(true), line("none")] },
    404,
    "not_found",
    "/lines/1/productId",
  ],
  [
    "a product without a price before its quantity",
    { lines: [line("unpriced", 99)] },
    422,
    "product_not_purchasable",
    "/lines/0/productId",
  ],
  [
    "a product without a route before its quantity",
    { lines: [line("routeless", 99)] },
    422,
    "product_not_purchasable",
    "/lines/0/productId",
  ],
  [
    "a later hidden product before a sold-out one",
    { lines: [line("sold-out"), line("hidden")] },
    404,
    "not_found",
    "/lines/1/productId",
  ],
  [
    "a sold-out product before its quantity and its input fields",
    { lines: [line("sold-out", 99)], expectedTotal: 1 },
    422,
    "out_of_stock",
    "/lines/0/productId",
  ],
  [
    "the first line's problem before the second's",
    { lines: [line("card", 99), line("unpriced")] },
    422,
    "quantity_out_of_range",
    "/lines/0/quantity",
  ],
  [
    "a value of the wrong kind before a changed price",
    { lines: [topUp([])], expectedTotal: 1 },
    422,
    "invalid_input_field",
    "/lines/0/inputFields/playerId",
  ],
  [
    "a value that does not match before a changed price",
    { lines: [topUp("x")], expectedTotal: 1 },
    422,
    "invalid_input_field",
    "/lines/0/inputFields/playerId",
  ],
  [
    "a changed price before insufficient funds",
    { lines: [line("card", 10)], expectedTotal: 1 },
    409,
    "price_changed",
    undefined,
  ],
  ["insufficient funds last", { lines: [line("card", 10)] }, 402, "insufficient_funds", undefined],
];

for (const [what, body, status, code, pointer] of REFUSALS) {
  test(`POST /v1/orders reports ${what}: ${status} ${code}`, async () => {
    const reply = await postOrder(scrip, buyer, "free", body);
    assert.deepEqual([reply.statusCode, reply.json().code], [status, code], reply.body);
    assert.equal(reply.json().errors?.[0]?.pointer, pointer);
    assert.deepEqual([(await ordersOf(scrip.db, buyer)).length, await balanceOf(scrip.db, buyer)], [1, 750]);
  });
}

test("every fault of every line is listed, after the one that decides the answer", async () => {
  const lines = [line("card", 0), { ...topUp("x"), quantity: 99 }, line("none"), line("unpriced", 99)];
  const reply = await postOrder(scrip, buyer, "free", { lines });
  assert.deepEqual([reply.statusCode, reply.json().code], [404, "not_found"]);
  assert.deepEqual(
    reply.json().errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]),
    [
      ["/lines/2/productId", "not_found"],
      ["/lines/0/quantity", "quantity_out_of_range"],
      ["/lines/1/quantity", "quantity_out_of_range"],
      ["/lines/1/inputFields/playerId", "invalid"],
      ["/lines/3/productId", "product_not_purchasable"],
      ["/lines/3/quantity", "quantity_out_of_range"],
    ],
  );
});

test("a changed price names both totals", async () => {
  const body = { lines: [line("card", 2)], expectedTotal: 1 };
  const { currentTotal, expectedTotal } = (await postOrder(scrip, buyer, "free", body)).json();
  assert.deepEqual(
    [currentTotal, expectedTotal],
    [
      { amount: 500, currency: "USD" },
      { amount: 1, currency: "USD" },
    ],
  );
});

test("a bound key returns its order before catalog, price and wallet are checked, and after the body", async () => {
  for (const [, body, status] of REFUSALS) {
    const reply = await postOrder(scrip, buyer, "bound", body);
    const expected = status === 400 ? [400, "invalid_request"] : [409, "idempotency_conflict"];
    assert.deepEqual([reply.statusCode, reply.json().code], expected, reply.body);
  }
  for (const value of [true, null, 77.5, [77], { value: 77 }, ["playerId"]]) {
    const reply = await postOrder(scrip, buyer, "bound", { lines: [topUp(value)] });
    assert.deepEqual([reply.statusCode, reply.json().code], [409, "idempotency_conflict"], reply.body);
  }
  const same = await postOrder(scrip, buyer, "bound", { lines: [topUp("77")], expectedTotal: 1 });
  assert.deepEqual([same.statusCode, same.headers["idempotent-replayed"]], [202, "true"]);
});
