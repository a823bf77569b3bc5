import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../../testing/builders/builders.ts";
import { addBuyer, type Buyer, balanceOf, ordersOf, postOrder } from "../../../testing/builders/buyers.ts";
import { type FaultProxy, startFaultProxy } from "../../../testing/database/fault-proxy.ts";
import { createRandom, type Random, SEED } from "../../../testing/seed.ts";
import { audit } from "../../audit/audit.ts";
import { connectDatabase, type Db } from "../../db/database.ts";

type Result = {
  idempotencyKey?: string;
  order?: { id: string };
  replayed?: boolean;
  error?: { code: string; errors?: { pointer: string }[] };
};

const ROUNDS = 5;
const PRICE_MINOR = 250;
const card = (quantity: unknown = 1, more: object = {}) => ({
  lines: [{ productId: "card", quantity }],
  ...more,
});

let proxy: FaultProxy;
let scrip: TestApp;

before(async () => {
  scrip = await createTestApp({ connect: connectThroughProxy });
  await addProducts(scrip.db, [
    { id: "card" },
    { id: "hidden", hidden: true },
    { id: "empty", supply: "empty" },
  ]);
  for (const productId of ["card", "hidden", "empty"])
    await addListPrice(scrip.db, { productId, amountMinor: BigInt(PRICE_MINOR) });
});

after(async () => {
  try {
    const { ok, invariants } = await audit(scrip.db);
    assert.ok(ok, JSON.stringify(invariants));
  } finally {
    await scrip.close();
    await proxy.close();
  }
});

async function connectThroughProxy(connectionString: string): Promise<Db> {
  proxy = await startFaultProxy(connectionString);
  return connectDatabase({
    connectionString: proxy.connectionString,
    applicationName: "scrip test of batches",
    poolSize: 4,
    onConnectionLost: () => {},
  });
}

const postBatch = (buyer: { key: string }, body: unknown, headers: Record<string, string> = {}) =>
  scrip.call("POST", "/v1/orders/batch", {
    key: buyer.key,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

async function place(buyer: Buyer, orders: readonly unknown[]): Promise<Result[]> {
  const reply = await postBatch(buyer, { orders });
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.json().results;
}

/** Without what differs between two resellers: ids of orders, by their first occurrence, and of requests. */
function comparable(results: readonly unknown[]): unknown {
  const seen: string[] = [];
  const text = JSON.stringify(results).replaceAll(/"ord_[0-9a-z]{26}"/g, (id) => {
    if (!seen.includes(id)) seen.push(id);
    return `"order ${seen.indexOf(id)}"`;
  });
  return JSON.parse(text.replaceAll(/"request_id":"req_[0-9a-z]{26}"/g, '"request_id":"-"'));
}

function anyOrder(random: Random): { idempotencyKey: string; body: object } {
  const body = random.pick([
    card(),
    card(1 + random.below(3)),
    card(2, { reference: "two" }),
    card(0),
    card(11),
    card("1"),
    card(1, { colour: "red" }),
    card(1, { expectedTotal: 1 }),
    card(1, { reference: "a\u202eb" }),
    { lines: [] },
    { lines: [{ productId: "hidden", quantity: 1 }] },
    { lines: [{ productId: "empty", quantity: 1 }] },
  ]);
  return { idempotencyKey: `key-${random.below(40)}`, body };
}

test("a batch answers, charges and binds like the same orders sent one after another", async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const random = createRandom(SEED);
  // Not enough for all: which orders are refused depends on their order.
  const [batched, single] = [await addBuyer(scrip, "40.00"), await addBuyer(scrip, "40.00")];
  const met = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const large = { idempotencyKey: `large ${round}`, body: card(10) };
    const some = Array.from({ length: random.below(25) }, () => anyOrder(random));
    // Whatever the seed, a key that is bound is sent with another request, and each refusal is met.
    const other = { idempotencyKey: large.idempotencyKey, body: card(9) };
    const hidden = {
      idempotencyKey: `hidden ${round}`,
      body: { lines: [{ productId: "hidden", quantity: 1 }] },
    };
    const invalid = { idempotencyKey: `invalid ${round}`, body: card("1") };
    const certain = [large, other, hidden, invalid];
    const orders = round === 0 ? [...certain, ...some] : [...some, ...certain];
    const inOne = await place(
      batched,
      orders.map(({ idempotencyKey, body }) => ({ idempotencyKey, ...body })),
    );
    const oneByOne: Result[] = [];
    for (const { idempotencyKey, body } of orders) {
      const reply = await postOrder(scrip, single, idempotencyKey, body);
      oneByOne.push({
        idempotencyKey,
        ...(reply.statusCode === 202 ? reply.json() : { error: reply.json() }),
      });
    }
    assert.deepEqual(comparable(inOne), comparable(oneByOne), `seed ${SEED}, round ${round}`);
    for (const { error } of inOne) met.add(error?.code ?? "placed");
    assert.equal(await balanceOf(scrip.db, batched), await balanceOf(scrip.db, single));
  }
  for (const code of ["placed", "idempotency_conflict", "invalid_request", "insufficient_funds", "not_found"])
    assert.ok(met.has(code), `${code}, seed ${SEED}`);
});

test("500 orders are placed in order, in few transactions, and a repeat returns the same ids", async () => {
  const buyer = await addBuyer(scrip, "1250.00");
  const orders = Array.from({ length: 500 }, (_, index) => ({ idempotencyKey: `k${index}`, ...card() }));
  const results = await place(buyer, orders);
  assert.deepEqual(
    results.map(({ idempotencyKey }) => idempotencyKey),
    orders.map(({ idempotencyKey }) => idempotencyKey),
  );
  const ids = results.map(({ order }) => order?.id);
  assert.equal(new Set(ids).size, 500);
  assert.equal(await balanceOf(scrip.db, buyer), 0);
  const stored = await ordersOf(scrip.db, buyer);
  assert.equal(new Set(stored.map(({ transaction }) => transaction)).size, 4, "four groups");
  assert.deepEqual(
    (await place(buyer, orders)).map(({ order }) => order?.id),
    ids,
  );
});

test("the same key twice in a batch: the first order binds it, the second replays or conflicts", async () => {
  const buyer = await addBuyer(scrip);
  const [refused, placed, replayed, conflict] = await place(buyer, [
    { idempotencyKey: "a", ...card(99) },
    { idempotencyKey: "a", ...card(1) },
    { idempotencyKey: "a", ...card(1) },
    { idempotencyKey: "a", ...card(2) },
  ]);
  assert.equal(refused?.error?.code, "quantity_out_of_range");
  assert.ok(placed?.order);
  assert.deepEqual(replayed?.order, placed.order);
  assert.deepEqual([placed.replayed, replayed?.replayed], [undefined, true]);
  assert.equal(conflict?.error?.code, "idempotency_conflict");
});

test("a malformed order is refused alone, with pointers into that order", async () => {
  const buyer = await addBuyer(scrip);
  const long = "x".repeat(256);
  const sent = [
    ...[null, [], "text", 1, {}, { idempotencyKey: "a" }, { idempotencyKey: 1, ...card() }],
    ...[card(), { idempotencyKey: "", ...card() }, { idempotencyKey: "é", ...card() }],
    ...[
      { idempotencyKey: long, ...card() },
      { idempotencyKey: "bad line", ...card(1.5) },
    ],
    { idempotencyKey: "good", ...card() },
  ];
  const results = await place(buyer, sent);
  const told = results.map(({ idempotencyKey, error }) => [idempotencyKey, error?.code]);
  const invalid = [undefined, "invalid_request"];
  assert.deepEqual(told, [
    ...[invalid, invalid, invalid, invalid, invalid, ["a", "invalid_request"]],
    ...[
      [undefined, "idempotency_key_invalid"],
      [undefined, "idempotency_key_missing"],
    ],
    ...[
      ["", "idempotency_key_missing"],
      ["é", "idempotency_key_invalid"],
      [long, "idempotency_key_invalid"],
    ],
    ...[
      ["bad line", "invalid_request"],
      ["good", undefined],
    ],
  ]);
  const [field] = results[11]?.error?.errors ?? [];
  assert.equal(field?.pointer, "/lines/0/quantity");
  assert.equal((await ordersOf(scrip.db, buyer)).length, 1);
});

test("a body that is not a batch is refused as a whole", async () => {
  const buyer = await addBuyer(scrip);
  const tooMany = Array.from({ length: 501 }, (_, index) => ({ idempotencyKey: `m${index}`, ...card() }));
  const large = { idempotencyKey: "l", ...card(1, { reference: "x".repeat(1024 * 1024) }) };
  for (const [body, status, code] of [
    [{}, 400, "invalid_request"],
    [{ orders: [] }, 400, "invalid_request"],
    [{ orders: {} }, 400, "invalid_request"],
    [{ orders: tooMany }, 400, "invalid_request"],
    [{ orders: [card()], dryRun: true }, 400, "invalid_request"],
    [{ orders: [large] }, 413, "payload_too_large"],
  ] as const) {
    const reply = await postBatch(buyer, body);
    assert.deepEqual([reply.statusCode, reply.json().code], [status, code], reply.body.slice(0, 200));
  }
  const readOnly = await scrip.addKey(buyer.resellerId, { scopes: ["orders:read"] });
  assert.equal((await postBatch(readOnly, { orders: [card()] })).statusCode, 403);
  assert.deepEqual(await ordersOf(scrip.db, buyer), []);
});

test("a scenario applies to every order of the batch", async () => {
  const { resellerId } = await addBuyer(scrip);
  const { key } = await scrip.addKey(resellerId, { env: "test" });
  const orders = ["a", "b"].map((idempotencyKey) => ({ idempotencyKey, ...card() }));
  const refused = await postBatch({ key }, { orders }, { "x-test-scenario": "out_of_stock" });
  const codes = refused.json().results.map(({ error }: Result) => error?.code);
  assert.deepEqual(codes, ["out_of_stock", "out_of_stock"]);
  assert.equal((await postBatch({ key }, { orders }, { "x-test-scenario": "nothing" })).statusCode, 400);
  assert.equal((await postBatch({ key }, { orders }, { "x-test-scenario": "rate_limited" })).statusCode, 429);
});

for (const kind of ["cut-before", "lose-answer"] as const) {
  test(`${kind} at COMMIT of a batch: every order is placed once and answered`, {
    timeout: 10_000,
  }, async () => {
    const buyer = await addBuyer(scrip);
    const fault = proxy.arm(/^commit$/, kind);
    const orders = ["a", "b", "a"].map((idempotencyKey) => ({ idempotencyKey, ...card() }));
    const results = await place(buyer, orders);
    await fault.struck;
    const ids = results.map(({ order }) => order?.id);
    assert.deepEqual(
      (await ordersOf(scrip.db, buyer)).map(({ id }) => id),
      ids.slice(0, 2),
    );
    assert.equal(ids[2], ids[0]);
    assert.equal(await balanceOf(scrip.db, buyer), 100_000 - 2 * PRICE_MINOR);
  });
}

test("a batch counts as its orders, may exceed what is left once, and then waits", async () => {
  const limited = await createTestApp({ beside: scrip, rateLimits: { orders: 2, reads: 0 } });
  try {
    const buyer = await addBuyer(scrip);
    const send = (count: number) =>
      limited.call("POST", "/v1/orders/batch", {
        key: buyer.key,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          orders: Array.from({ length: count }, (_, i) => ({ idempotencyKey: `r${i}`, ...card() })),
        }),
      });
    const [first, second] = [await send(40), await send(1)];
    assert.equal(first.statusCode, 200);
    assert.match(String(first.headers.ratelimit), /"orders";r=0;t=(19|20)/);
    assert.equal(second.statusCode, 429);
    const wait = Number(second.headers["retry-after"]);
    assert.ok(wait >= 17 && wait <= 19, `waits ${wait} s`);
  } finally {
    await limited.app.close();
  }
});
