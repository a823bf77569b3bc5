import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, postOrder } from "../../testing/builders/buyers.ts";

/** Far ahead of real time, because request ids use it and never go back within a process. */
const START_MS = Date.UTC(2040, 0, 31, 12);

let scrip: TestApp;
let buyer: Buyer;
let nowMs = START_MS;
/** The orders below, by id. */
const names = new Map<string, string>();

before(async () => {
  scrip = await createTestApp({ clock: { now: () => new Date(nowMs) } });
  await addProducts(scrip.db, [{ id: "card" }, { id: "other" }, { id: "top-up", inputFields: [PLAYER] }]);
  for (const productId of ["card", "other", "top-up"]) {
    await addListPrice(scrip.db, { productId, amountMinor: 250n });
  }
  buyer = await addBuyer(scrip);
  for (const [name, order] of Object.entries(ORDERS)) await placeNamed(name, order);
});

after(() => scrip.close());

const PLAYER = { key: "playerId", type: "text", required: true, regex: "", options: [] };

type Seed = { key: string; reference?: string; products: string[]; status: string; atMs: number };

/** Placed in this order; d and e in the same millisecond. */
const ORDERS: Record<string, Seed> = {
  a: { key: "order 1", reference: "March", products: ["card"], status: "completed", atMs: 0 },
  b: { key: "order 2", reference: "March", products: ["other", "card"], status: "pending", atMs: 1_000 },
  c: { key: "order 10", reference: "march", products: ["other"], status: "pending", atMs: 2_000 },
  d: { key: "ORDER 1", products: ["card", "card"], status: "processing", atMs: 3_000 },
  e: { key: "a&b=c/%", reference: "März & co ", products: ["card"], status: "failed", atMs: 3_000 },
  f: { key: "~", reference: "March 2", products: ["top-up"], status: "refunded", atMs: 4_000 },
};

async function placeNamed(name: string, { key, reference, products, status, atMs }: Seed): Promise<void> {
  nowMs = START_MS + atMs;
  const lines = products.map((productId) => ({
    productId,
    quantity: 1,
    ...(productId === "top-up" ? { inputFields: { playerId: 77 } } : {}),
  }));
  const reply = await postOrder(scrip, buyer, key, { lines, ...(reference ? { reference } : {}) });
  assert.equal(reply.statusCode, 202, reply.body);
  const { id } = reply.json().order;
  names.set(id, name);
  for (const next of WAYS[status] ?? [])
    await scrip.db.rows(sql`
      update orders set status = ${next}, refunded_minor = case when ${next} = 'refunded' then total_minor else 0 end
      where id = ${id}`);
}

/** The allowed transitions to each status. */
const WAYS: Record<string, readonly string[]> = {
  processing: ["processing"],
  completed: ["processing", "completed"],
  failed: ["processing", "failed"],
  refunded: ["processing", "failed", "refunded"],
};

type Query = Record<string, string>;

async function list(query: Query, key = buyer.key): Promise<string> {
  const reply = await scrip.call("GET", `/v1/orders?${new URLSearchParams(query)}`, { key });
  assert.equal(reply.statusCode, 200, `${JSON.stringify(query)}: ${reply.body}`);
  const { data, hasMore, nextCursor } = reply.json();
  assert.deepEqual([hasMore, nextCursor], [false, ""]);
  return data.map(({ id }: { id: string }) => names.get(id) ?? "?").join("");
}

const at = (ms: number): string => new Date(START_MS + ms).toISOString();

test("the list is newest first, and each order equals its single read", async () => {
  assert.equal(await list({}), "fedcba");
  const { data } = (await scrip.call("GET", "/v1/orders", { key: buyer.key })).json();
  for (const order of data) {
    const alone = (await scrip.call("GET", `/v1/orders/${order.id}`, { key: buyer.key })).json();
    assert.deepEqual(order, alone.order);
  }
  assert.deepEqual(data[0], {
    id: data[0].id,
    status: "refunded",
    total: { amount: 250, currency: "USD" },
    createdAt: at(4_000),
    updatedAt: at(4_000),
    reference: "March 2",
    refundedTotal: { amount: 250, currency: "USD" },
    lines: [
      {
        productId: "top-up",
        name: "Product top-up",
        unitPrice: { amount: 250, currency: "USD" },
        quantity: 1,
        lineTotal: { amount: 250, currency: "USD" },
        inputFields: { playerId: "77" },
        fulfilledQuantity: 0,
        refundedQuantity: 0,
      },
    ],
  });
  assert.equal("reference" in data[2], false, "absent members are omitted");
  assert.deepEqual(
    data[4].lines.map((line: { productId: string }) => line.productId),
    ["other", "card"],
  );
});

const CASES: [Query, string][] = [
  [{ status: "pending" }, "cb"],
  [{ status: "processing" }, "d"],
  [{ status: "completed" }, "a"],
  [{ status: "failed" }, "e"],
  [{ status: "refunded" }, "f"],
  [{ status: "failed,pending" }, "ecb"],
  [{ status: "completed,refunded,completed" }, "fa"],
  [{ status: "pending,completed", productId: "card" }, "ba"],
  [{ reference: "March" }, "ba"],
  [{ reference: "march" }, "c"],
  [{ reference: "Mar" }, ""],
  [{ reference: "March " }, ""],
  [{ reference: "%" }, ""],
  [{ reference: "März & co " }, "e"],
  [{ idempotencyKey: "order 1" }, "a"],
  [{ idempotencyKey: "ORDER 1" }, "d"],
  [{ idempotencyKey: "order 10" }, "c"],
  [{ idempotencyKey: "order" }, ""],
  [{ idempotencyKey: "a&b=c/%" }, "e"],
  [{ idempotencyKey: "~" }, "f"],
  [{ productId: "card" }, "edba"],
  [{ productId: "other" }, "cb"],
  [{ productId: "top-up" }, "f"],
  [{ productId: "none" }, ""],
  [{ createdFrom: at(3_000) }, "fed"],
  [{ createdFrom: at(3_001) }, "f"],
  [{ createdTo: at(3_000) }, "cba"],
  [{ createdTo: at(3_001) }, "edcba"],
  [{ createdFrom: at(1_000), createdTo: at(3_000) }, "cb"],
  [{ createdFrom: at(3_000), createdTo: at(3_000) }, ""],
  [{ createdFrom: at(3_000), createdTo: at(1_000) }, ""],
  [{ createdFrom: "1960-01-01T00:00:00Z", createdTo: "9999-12-31T23:59:59Z" }, "fedcba"],
  [{ createdFrom: "2040-01-31T13:00:03+01:00" }, "fed"],
  [{ createdFrom: "2040-01-31T12:00:03.0000001Z" }, "f"],
  [{ createdTo: "2040-01-31T12:00:03.0000001Z" }, "edcba"],
  [{ createdFrom: "2040-01-31" }, "fedcba"],
  [{ createdFrom: "2040-02-01" }, ""],
  [{ createdTo: "2040-01-31" }, ""],
  [{ createdTo: "2040-02-01" }, "fedcba"],
  [{ status: "pending", productId: "card" }, "b"],
  [{ status: "completed", productId: "card" }, "a"],
  [{ status: "completed", productId: "other" }, ""],
  [{ status: "pending", reference: "March" }, "b"],
  [{ reference: "March", productId: "other" }, "b"],
  [{ reference: "March", productId: "card", createdTo: at(1_000) }, "a"],
  [{ productId: "card", createdFrom: at(1_000), createdTo: at(3_001) }, "edb"],
  [{ status: "pending", createdFrom: at(2_000) }, "c"],
  [{ idempotencyKey: "order 2", status: "pending", reference: "March", productId: "card" }, "b"],
  [{ idempotencyKey: "order 2", status: "completed" }, ""],
  [{ idempotencyKey: "order 2", productId: "top-up" }, ""],
  [{ idempotencyKey: "order 2", createdTo: at(1_000) }, ""],
  [{ idempotencyKey: "order 2", createdFrom: at(1_000) }, "b"],
  [{ cursor: "", limit: "" }, "fedcba"],
];

for (const [query, expected] of CASES) {
  test(`GET /v1/orders?${decodeURIComponent(`${new URLSearchParams(query)}`)} lists "${expected}"`, async () => {
    assert.equal(await list(query), expected);
  });
}

test("an invalid value returns 400 and names its parameter", async () => {
  const times = [
    "now",
    "2040-02-30",
    "2040-1-31",
    "2040-01-31T12:00:00",
    "2040-02-30T00:00:00Z",
    "2040-01-31T24:00:00Z",
  ];
  const refused: Record<string, string[]> = {
    status: ["done", "Pending", "pending,done", "pending,", "pending, failed", "\0"],
    reference: ["\0", "a\0"],
    idempotencyKey: ["\0"],
    productId: ["card\0"],
    createdFrom: [...times, "2040-01-31T12:00:00+25:00", "\0"],
    createdTo: [...times, "1900000000"],
    limit: ["-1", "ten", "1.5"],
    ref: ["x"],
    Status: ["pending"],
  };
  for (const [name, values] of Object.entries(refused)) {
    for (const value of values) {
      const query = new URLSearchParams({ [name]: value });
      const reply = await scrip.call("GET", `/v1/orders?${query}`, { key: buyer.key });
      assert.deepEqual([reply.statusCode, reply.json().code], [400, "invalid_request"], `${query}`);
      assert.equal(reply.json().errors[0].pointer, `?${name}`);
    }
  }
  const twice = await scrip.call("GET", "/v1/orders?reference=a&reference=b", { key: buyer.key });
  assert.deepEqual([twice.statusCode, twice.json().errors[0].pointer], [400, "?reference"]);
});

test("a status that is sent several times is a list, and a cursor is bound to it", async () => {
  const idsOf = async (query: string) => {
    const reply = await scrip.call("GET", `/v1/orders?${query}`, { key: buyer.key });
    assert.equal(reply.statusCode, 200, reply.body);
    const { data, nextCursor } = reply.json();
    return { found: data.map(({ id }: { id: string }) => names.get(id)).join(""), nextCursor };
  };
  assert.equal((await idsOf("status=pending&status=failed")).found, "ecb");
  const first = await idsOf("status=pending&status=failed&limit=2");
  const cursor = encodeURIComponent(first.nextCursor);
  assert.equal((await idsOf(`status=pending&status=failed&limit=2&cursor=${cursor}`)).found, "b");
  const other = await scrip.call("GET", `/v1/orders?status=pending&cursor=${cursor}`, { key: buyer.key });
  assert.deepEqual([other.statusCode, other.json().code], [400, "invalid_cursor"]);
});

test("another reseller, and the same reseller's sandbox, see none of these orders with any filter", async () => {
  const stranger = (await addBuyer(scrip)).key;
  const sandbox = (await scrip.addKey(buyer.resellerId, { env: "test" })).key;
  for (const key of [stranger, sandbox]) {
    for (const [query] of CASES) assert.equal(await list(query, key), "", JSON.stringify(query));
  }
});
