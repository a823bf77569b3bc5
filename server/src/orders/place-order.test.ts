import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { audit } from "../audit/audit.ts";
import { setHidden } from "../catalog/hide-product.ts";
import { setPrice } from "../catalog/prices/set-price.ts";
import { revokeKey } from "../keys/revoke-key.ts";
import { moveFunds } from "../wallet/move-funds.ts";

let scrip: TestApp;
let resellerId: string;
let key: string;
let keyCount = 0;

before(async () => {
  scrip = await createTestApp();
  resellerId = (await scrip.addReseller()).id;
  key = (await scrip.addKey(resellerId)).key;
  await addProducts(scrip.db, [
    { id: "card" },
    { id: "other" },
    { id: "unpriced" },
    { id: "hidden", hidden: true },
    { id: "top-up", inputFields: [PLAYER, LEVEL, REGION, SERVER] },
  ]);
  for (const productId of ["card", "other", "hidden", "top-up"]) {
    await addListPrice(scrip.db, { productId, amountMinor: 2375n });
  }
  await moveFunds(scrip.db, scrip.clock, { resellerId, environment: "live" }, CREDIT);
});

after(async () => {
  const { ok, invariants } = await audit(scrip.db);
  await scrip.close();
  assert.ok(ok, JSON.stringify(invariants));
});

const CREDIT = { direction: "credit", amount: "3000.00", note: "top-up" } as const;
const PLAYER = { key: "playerId", type: "text", required: true, regex: "^[0-9]{5,12}$", options: [] };
const LEVEL = { key: "level", type: "number", required: false, regex: "", options: [] };
const REGION = select("region", [
  ["eu", ""],
  ["na", ""],
]);
const SERVER = select("server", [
  ["eu-1", "eu"],
  ["na-1", "na"],
]);

function select(name: string, options: [string, string][]) {
  const toOption = ([value, parentValue]: [string, string]) => ({ value, label: value, parentValue });
  return { key: name, type: "select", required: false, regex: "", options: options.map(toOption) };
}

function nextKey(): string {
  keyCount += 1;
  return `order-${keyCount}`;
}

const place = (body: unknown, headers: Record<string, string> = {}, apiKey = key) =>
  scrip.call("POST", "/v1/orders", {
    key: apiKey,
    headers: { "content-type": "application/json", "idempotency-key": nextKey(), ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const card = (quantity = 1) => ({ lines: [{ productId: "card", quantity }] });

async function balance(apiKey = key): Promise<number> {
  return (await scrip.call("GET", "/v1/balance", { key: apiKey })).json().balance.amount;
}

test("POST /v1/orders returns 202, debits the wallet, and the order reads back as placed", async () => {
  const before = await balance();
  const body = {
    lines: [
      { productId: "card", quantity: 2 },
      { productId: "top-up", quantity: 1, inputFields: { playerId: 123456, region: "eu", server: "eu-1" } },
    ],
    reference: "invoice-1",
  };
  const reply = await place(body);
  assert.equal(reply.statusCode, 202);
  const { order } = reply.json();
  assert.deepEqual(order, { id: order.id, status: "pending", total: { amount: 7125, currency: "USD" } });
  assert.equal(reply.headers.location, `/v1/orders/${order.id}`);
  assert.equal(reply.headers["idempotent-replayed"], undefined);
  assert.equal(await balance(), before - 7125);

  const read = (await scrip.call("GET", `/v1/orders/${order.id}`, { key })).json().order;
  assert.equal(read.reference, "invoice-1");
  assert.deepEqual(read.refundedTotal, { amount: 0, currency: "USD" });
  assert.deepEqual(read.lines[1], {
    productId: "top-up",
    name: "Product top-up",
    unitPrice: { amount: 2375, currency: "USD" },
    quantity: 1,
    lineTotal: { amount: 2375, currency: "USD" },
    inputFields: { playerId: "123456", region: "eu", server: "eu-1" },
    fulfilledQuantity: 0,
    refundedQuantity: 0,
  });
  const [entry] = (await scrip.call("GET", `/v1/wallet/entries?orderId=${order.id}`, { key })).json().data;
  assert.deepEqual([entry.type, entry.amount, entry.balanceAfter], ["order", -7125, before - 7125]);
});

test("the same key and request return the same order, whatever happened to the product", async () => {
  const headers = { "idempotency-key": "replay-1" };
  const body = { lines: [{ productId: "other", quantity: 1 }], reference: "r" };
  const first = (await place(body, headers)).json().order;
  const before = await balance();
  const shuffled = '{"reference":"r","lines":[{"quantity":1,"inputFields":{},"productId":"other"}]}';
  const target = { kind: "list", priceList: "standard", currency: "USD" } as const;
  await setPrice(scrip.db, scrip.clock, { productId: "other", target, amount: "99.00", strike: undefined });
  for (const change of [async () => {}, () => setHidden(scrip.db, scrip.clock, "other", true)]) {
    await change();
    const again = await place(shuffled, headers);
    assert.equal(again.statusCode, 202);
    assert.deepEqual(again.json().order, first);
    assert.equal(again.headers["idempotent-replayed"], "true");
  }
  await setHidden(scrip.db, scrip.clock, "other", false);
  assert.equal(await balance(), before);
});

test("the same key with any difference returns 409 idempotency_conflict, and nothing is charged", async () => {
  const headers = { "idempotency-key": "conflict-1" };
  await place({ ...card(), reference: "a" }, headers);
  const before = await balance();
  for (const body of [
    { ...card(), reference: "b" },
    card(),
    card(2),
    { lines: [{ productId: "missing", quantity: 1 }] },
  ]) {
    const reply = await place(body, headers);
    assert.equal(reply.statusCode, 409);
    assert.equal(reply.json().code, "idempotency_conflict");
  }
  assert.equal(await balance(), before);
});

test("a key without wallet:read reads what an order costs, and no balance", async () => {
  const poor = await scrip.addReseller();
  const { key: blind } = await scrip.addKey(poor.id, { scopes: ["orders:write"] });
  const {
    balance: shown,
    required,
    detail,
  } = (await place(card(), { "idempotency-key": "b" }, blind)).json();
  assert.deepEqual([shown, required], [undefined, { amount: 2375, currency: "USD" }]);
  assert.equal(detail, "The order costs 23.75 USD, which is more than the wallet holds.");
});

test("a conflict names the order of the key, and what is different", async () => {
  const send = (body: object) => place(body, { "idempotency-key": "named" });
  const first = { lines: [{ productId: "card", quantity: 1 }], reference: "one" };
  const { id } = (await send(first)).json().order;
  const cases: [object, string[]][] = [
    [{ ...first, lines: [{ productId: "card", quantity: 2 }] }, ["lines"]],
    [{ ...first, lines: [{ productId: "card", quantity: 1, inputFields: { a: "" } }] }, ["lines"]],
    [{ ...first, reference: "two" }, ["reference"]],
    [{ lines: first.lines }, ["reference"]],
    [{ ...first, fulfilment: "all_or_nothing" }, ["fulfilment"]],
    [{ lines: [], reference: "x" }, []],
    [
      { lines: [{ productId: "none", quantity: 1 }], reference: "two", fulfilment: "all_or_nothing" },
      ["lines", "reference", "fulfilment"],
    ],
  ];
  for (const [body, differs] of cases) {
    const reply = await send(body);
    if (differs.length === 0) assert.equal(reply.statusCode, 400);
    else {
      assert.deepEqual([reply.statusCode, reply.json().code], [409, "idempotency_conflict"]);
      assert.deepEqual([reply.json().orderId, reply.json().differs], [id, differs]);
    }
  }
  const again = await send(first);
  assert.deepEqual([again.statusCode, again.json().replayed, again.json().order.id], [202, true, id]);
});

test("a refused request binds nothing: after a top-up the same key places the order", async () => {
  const poor = await scrip.addReseller();
  const poorKey = (await scrip.addKey(poor.id)).key;
  const headers = { "idempotency-key": "retry-1" };
  const refused = await place(card(), headers, poorKey);
  assert.equal(refused.statusCode, 402);
  assert.equal(refused.json().code, "insufficient_funds");
  assert.equal(refused.json().detail, "The wallet holds 0.00 USD and the order costs 23.75 USD.");
  assert.deepEqual(refused.json().required, { amount: 2375, currency: "USD" });
  assert.deepEqual(refused.json().balance, { amount: 0, currency: "USD" });
  const [count] = await scrip.db.rows<{ count: bigint }>(
    sql`select count(*) as count from orders where reseller_id = ${poor.id}`,
  );
  assert.equal(count?.count, 0n);
  await moveFunds(
    scrip.db,
    scrip.clock,
    { resellerId: poor.id, environment: "live" },
    { ...CREDIT, amount: "23.75" },
  );
  assert.equal((await place(card(), headers, poorKey)).statusCode, 202);
  assert.equal(await balance(poorKey), 0);
});

test("a wrong expectedTotal returns 409 price_changed with the current total, and has no effect", async () => {
  const before = await balance();
  const reply = await place({ ...card(2), expectedTotal: 4749 });
  assert.equal(reply.statusCode, 409);
  assert.deepEqual(reply.json().currentTotal, { amount: 4750, currency: "USD" });
  assert.equal(await balance(), before);
  assert.equal((await place({ ...card(2), expectedTotal: 4750 })).statusCode, 202);
});

const REFUSALS: [string, unknown, number, string, string | undefined][] = [
  [
    "an unknown product",
    {
      lines: [
        { productId: "card", quantity: 1 },
        { productId: "none", quantity: 1 },
      ],
    },
    404,
    "not_found",
    "/lines/1/productId",
  ],
  [
    "a hidden product",
    { lines: [{ productId: "hidden", quantity: 1 }] },
    404,
    "not_found",
    "/lines/0/productId",
  ],
  [
    "an unpriced product",
    { lines: [{ productId: "unpriced", quantity: 1 }] },
    422,
    "product_not_purchasable",
    "/lines/0/productId",
  ],
  ["too many units", card(11), 422, "quantity_out_of_range", "/lines/0/quantity"],
  ["zero units", card(0), 422, "quantity_out_of_range", "/lines/0/quantity"],
  ["half a unit", card(1.5), 400, "invalid_request", "/lines/0/quantity"],
  ["no lines", { lines: [] }, 400, "invalid_request", "/lines"],
  [
    "51 lines",
    { lines: Array.from({ length: 51 }, () => card().lines[0]) },
    400,
    "invalid_request",
    "/lines",
  ],
  ["an unknown field", { ...card(), total: 1 }, 400, "invalid_request", "/total"],
  ["an empty reference", { ...card(), reference: "" }, 400, "invalid_request", "/reference"],
  [
    "a reference with a bidirectional character",
    { ...card(), reference: "paid \u202e0001" },
    400,
    "invalid_request",
    "/reference",
  ],
  [
    "a reference with a control character",
    { ...card(), reference: "a\u0007" },
    400,
    "invalid_request",
    "/reference",
  ],
  ["no body", "", 400, "invalid_request", ""],
  ["a missing input field", topUp({}), 422, "invalid_input_field", "/lines/0/inputFields/playerId"],
  [
    "an unknown input field",
    topUp({ playerId: "12345", x: "y" }),
    422,
    "invalid_input_field",
    "/lines/0/inputFields/x",
  ],
  [
    "a value that does not match the pattern",
    topUp({ playerId: "abc" }),
    422,
    "invalid_input_field",
    "/lines/0/inputFields/playerId",
  ],
  [
    "a value that is an object",
    topUp({ playerId: {} }),
    422,
    "invalid_input_field",
    "/lines/0/inputFields/playerId",
  ],
  [
    "a value that is a fraction",
    topUp({ playerId: 1.5 }),
    422,
    "invalid_input_field",
    "/lines/0/inputFields/playerId",
  ],
  [
    "an unknown option",
    topUp({ playerId: "12345", region: "mars" }),
    422,
    "invalid_input_field",
    "/lines/0/inputFields/region",
  ],
  [
    "an option of another parent",
    topUp({ playerId: "12345", region: "na", server: "eu-1" }),
    422,
    "invalid_input_field",
    "/lines/0/inputFields/server",
  ],
  [
    "an option without its parent",
    topUp({ playerId: "12345", server: "eu-1" }),
    422,
    "invalid_input_field",
    "/lines/0/inputFields/server",
  ],
];

function topUp(inputFields: Record<string, unknown>) {
  return { lines: [{ productId: "top-up", quantity: 1, inputFields }] };
}

for (const [what, body, status, code, pointer] of REFUSALS) {
  test(`POST /v1/orders with ${what} is ${status} ${code} and leaves no order and no entry`, async () => {
    const before = await balance();
    const headers = { "idempotency-key": `refused ${what}` };
    const reply = await place(body, headers);
    assert.equal(reply.statusCode, status, reply.body);
    assert.equal(reply.json().code, code);
    assert.equal(reply.json().errors?.[0]?.pointer, pointer);
    assert.equal(await balance(), before);
    const found = await scrip.call(
      "GET",
      `/v1/orders?idempotencyKey=${encodeURIComponent(`refused ${what}`)}`,
      { key },
    );
    assert.deepEqual(found.json().data, []);
  });
}

test("a 404 names the line's product, with the same text whether it is hidden or missing", async () => {
  const bodies = await Promise.all(
    ["none", "hidden"].map(async (productId) => {
      const reply = await place({ lines: [{ productId, quantity: 1 }] }, { "idempotency-key": "which" });
      const { request_id: _, ...body } = reply.json();
      return body;
    }),
  );
  assert.equal(bodies[0].detail, 'No product "none" was found for this key.');
  assert.equal(bodies[0].errors[0].detail, bodies[0].detail);
  assert.deepEqual(JSON.parse(JSON.stringify(bodies[0]).replaceAll("none", "hidden")), bodies[1]);
});

test("details of a refused body are sentences without patterns or validator terms", async () => {
  const details: [unknown, string][] = [
    [
      { ...card(), reference: "a\u0007" },
      "reference contains a character that is not allowed, such as a line break.",
    ],
    [{ ...card(), reference: "" }, "reference must not be empty."],
    [{ lines: [] }, "lines must have at least 1 item."],
    [{ ...card(), expectedTotal: -1 }, "expectedTotal must be 0 or more."],
    [{ ...card(), reference: "x".repeat(129) }, "reference must have at most 128 characters."],
  ];
  for (const [body, detail] of details) {
    assert.equal((await place(body, { "idempotency-key": "told" })).json().detail, detail);
  }
});

test("an optional input field that is sent empty is omitted from the order", async () => {
  const { order } = (
    await place(topUp({ playerId: "12345", level: "" }), { "idempotency-key": "empty" })
  ).json();
  const read = await scrip.call("GET", `/v1/orders/${order.id}`, { key });
  assert.deepEqual(read.json().order.lines[0].inputFields, { playerId: "12345" });
});

test("the Idempotency-Key is required and must be 1 to 255 printable ASCII characters", async () => {
  const missing = await scrip.call("POST", "/v1/orders", {
    key,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(card()),
  });
  assert.deepEqual([missing.statusCode, missing.json().code], [400, "idempotency_key_missing"]);
  for (const bad of ["x".repeat(256), "ключ", "a\tb"]) {
    const reply = await place(card(), { "idempotency-key": bad });
    assert.deepEqual([reply.statusCode, reply.json().code], [400, "idempotency_key_invalid"]);
  }
  assert.equal((await place(card(), { "idempotency-key": "x".repeat(255) })).statusCode, 202);
});

test("a test key spends from the funded test wallet and sees no live data", async () => {
  const testKey = (await scrip.addKey(resellerId, { env: "test" })).key;
  assert.equal(await balance(testKey), 100_000_000);
  const before = await balance();
  const { order } = (await place(card(), { "idempotency-key": "conflict-1" }, testKey)).json();
  assert.equal(await balance(testKey), 100_000_000 - 2375);
  assert.equal(await balance(), before);
  assert.equal((await scrip.call("GET", `/v1/orders/${order.id}`, { key })).statusCode, 404);
  assert.equal((await scrip.call("GET", `/v1/orders/${order.id}`, { key: testKey })).statusCode, 200);
});

test("a key that is revoked between its check and the commit places nothing", async () => {
  const doomed = await scrip.addKey(resellerId);
  const before = await balance();
  const [reply] = await Promise.all([
    place(card(), {}, doomed.key),
    revokeKey(scrip.db, scrip.clock, doomed.id),
  ]);
  assert.ok([202, 401].includes(reply.statusCode));
  assert.equal(await balance(), reply.statusCode === 202 ? before - 2375 : before);
  assert.equal((await place(card(), {}, doomed.key)).statusCode, 401);
});

test("a total above the largest exact JSON integer is refused", async () => {
  await addProducts(scrip.db, [{ id: "gold" }]);
  await addListPrice(scrip.db, { productId: "gold", amountMinor: 9007199254740991n });
  const reply = await place({ lines: [{ productId: "gold", quantity: 2 }] });
  assert.deepEqual([reply.statusCode, reply.json().code], [400, "invalid_request"]);
});

test("a duplicate Idempotency-Key header is refused and not read as another key", async () => {
  const before = await balance();
  const address = await scrip.app.listen({ host: "127.0.0.1", port: 0 });
  const body = JSON.stringify(card());
  const headers = [
    "X-API-Key",
    key,
    "Content-Type",
    "application/json",
    "Content-Length",
    String(body.length),
  ];
  const twice = [...headers, "Host", "localhost", "Idempotency-Key", "twice", "Idempotency-Key", "twice"];
  const status = await new Promise((resolve, reject) => {
    const call = request(
      `${address}/v1/orders`,
      { method: "POST", headers: twice, agent: false },
      (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      },
    );
    call.on("error", reject).end(body);
  });
  assert.equal(status, 400);
  assert.equal(await balance(), before);
});

test("a continuously changing catalog does not block orders", async () => {
  const before = await balance();
  let done = false;
  const target = { kind: "list", priceList: "standard", currency: "USD" } as const;
  const churn = (async () => {
    while (!done)
      await setPrice(scrip.db, scrip.clock, {
        productId: "other",
        target,
        amount: "5.00",
        strike: undefined,
      });
  })();
  const replies = await Promise.all(Array.from({ length: 48 }, () => place(card())));
  done = true;
  await churn;
  assert.deepEqual(new Set(replies.map((reply) => reply.statusCode)), new Set([202]));
  assert.equal(await balance(), before - 48 * 2375);
});
