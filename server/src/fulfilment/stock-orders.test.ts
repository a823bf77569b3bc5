import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, balanceOf, postOrder } from "../../testing/builders/buyers.ts";
import {
  addStock,
  createTestFulfiller,
  type TestFulfiller,
  unitStatuses,
} from "../../testing/builders/fulfilment.ts";
import { addRouteRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { audit } from "../audit/audit.ts";
import type { Goods } from "../suppliers/goods.ts";

let scrip: TestApp;
let buyer: Buyer;
let worker: TestFulfiller;
let supplierId: string;

before(async () => {
  // As if what is missing had been sold after it was ordered.
  scrip = await createTestApp({ findShortage: async () => undefined });
  buyer = await addBuyer(scrip);
  worker = createTestFulfiller(scrip);
  supplierId = await addSupplierRow(scrip.db);
});
after(() => scrip.close());

let made = 0;
/** A product with so many codes in stock. */
async function addStocked(codes: number): Promise<string> {
  made += 1;
  const productId = `stocked-${made}`;
  await addProducts(scrip.db, [{ id: productId }]);
  await addListPrice(scrip.db, { productId, amountMinor: 1_000n });
  await addRouteRow(scrip.db, { productId, supplierId, costMinor: 810n });
  const goods = Array.from(
    { length: codes },
    (_, index): Goods => ({ type: "code", code: `${productId}-${index}`, pin: "1234" }),
  );
  await addStock(scrip, { productId, supplierId, goods });
  return productId;
}

async function order(lines: { productId: string; quantity: number }[]): Promise<string> {
  made += 1;
  const reply = await postOrder(scrip, buyer, `order-${made}`, { lines });
  assert.equal(reply.statusCode, 202, reply.body);
  return reply.json().order.id;
}

const read = async (id: string) =>
  (await scrip.call("GET", `/v1/orders/${id}`, { key: buyer.key })).json().order;
const codesOf = (id: string) => scrip.call("GET", `/v1/orders/${id}/codes`, { key: buyer.key });
const assertHealthy = async () =>
  assert.deepEqual(
    (await audit(scrip.db)).invariants.filter(({ ok }) => !ok),
    [],
  );

test("an order of what is in stock is completed, and its codes are the ones that were imported", async () => {
  const productId = await addStocked(3);
  const id = await order([{ productId, quantity: 2 }]);
  const early = await codesOf(id);
  assert.equal(early.statusCode, 409);
  assert.equal(early.json().code, "order_not_fulfilled");
  assert.equal(early.json().orderStatus, "pending");
  await worker.drain();
  const seen = await read(id);
  assert.equal(seen.status, "completed");
  assert.equal(seen.lines[0].fulfilledQuantity, 2);
  assert.equal(seen.refundedTotal.amount, 0);
  const reply = await codesOf(id);
  assert.equal(reply.headers["cache-control"], "no-store");
  assert.deepEqual(
    reply.json().data.map(({ code, pin, type }: Record<string, string>) => ({ code, pin, type })),
    [0, 1].map((index) => ({ code: `${productId}-${index}`, pin: "1234", type: "code" })),
  );
  await assertHealthy();
});

test("a line for which stock is short is delivered as far as it goes, and the rest is paid back", async () => {
  const productId = await addStocked(2);
  const before = await balanceOf(scrip.db, buyer);
  const id = await order([{ productId, quantity: 5 }]);
  await worker.drain();
  const seen = await read(id);
  assert.equal(seen.status, "completed");
  assert.deepEqual(await unitStatuses(scrip.db, id), ["delivered delivered refunded refunded refunded"]);
  assert.equal(seen.lines[0].fulfilledQuantity, 2);
  assert.equal(seen.lines[0].refundedQuantity, 3);
  assert.equal(seen.lines[0].failureCode, "out_of_stock");
  assert.equal(seen.refundedTotal.amount, 3_000);
  assert.equal(await balanceOf(scrip.db, buyer), before - 2_000);
  assert.equal((await codesOf(id)).json().data.length, 2);
  await assertHealthy();
});

test("an order of which nothing can be delivered fails, is refunded, and has no codes", async () => {
  const productId = await addStocked(1);
  const before = await balanceOf(scrip.db, buyer);
  const ids = [await order([{ productId, quantity: 1 }]), await order([{ productId, quantity: 2 }])];
  await worker.step();
  await worker.drain();
  const [first, second] = await Promise.all(ids.map(read));
  assert.deepEqual([first.status, second.status].sort(), ["completed", "refunded"]);
  assert.equal(await balanceOf(scrip.db, buyer), before - 1_000);
  const refused = await codesOf(ids[1] as string);
  assert.equal(refused.statusCode, 409);
  assert.equal(refused.json().orderStatus, "refunded");
  await assertHealthy();
});

test("sandbox orders complete with codes that the caller can compute, and touch no stock", async () => {
  const productId = await addStocked(1);
  const { key } = await scrip.addKey(buyer.resellerId, { env: "test" });
  const reply = await postOrder(scrip, { ...buyer, environment: "test", key }, "tour-1", {
    lines: [{ productId, quantity: 2 }],
  });
  const id = reply.json().order.id;
  await worker.drain();
  const codes = (await scrip.call("GET", `/v1/orders/${id}/codes`, { key })).json();
  assert.equal(codes.status, "completed");
  for (const { code } of codes.data)
    assert.match(code, /^TEST-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
  assert.equal((await codesOf(id)).statusCode, 404);
  const [stock] = await scrip.db.rows<{ count: bigint }>(
    sql`select count(*) as count from codes where product_id = ${productId} and state = 'stock'`,
  );
  assert.equal(stock?.count, 1n);
  await assertHealthy();
});

test("each reading of codes is recorded with actor, request and address", async () => {
  const productId = await addStocked(1);
  const id = await order([{ productId, quantity: 1 }]);
  await worker.drain();
  const reply = await codesOf(id);
  const rows = await scrip.db.rows(sql`
    select r.actor, request_id as "requestId", address, code_count as "codeCount"
    from code_reveals r where order_id = ${id}`);
  assert.deepEqual(rows, [
    {
      actor: { kind: "key", id: buyer.keyId },
      requestId: reply.headers["x-request-id"],
      address: "127.0.0.1",
      codeCount: 1,
    },
  ]);
});
