import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, balanceOf, ordersOf, postOrder } from "../../testing/builders/buyers.ts";
import { addRouteRow, addStockRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { refreshSupply } from "../suppliers/refresh-supply.ts";

let scrip: TestApp;
let buyer: Buyer;
let stock: string;
let made = 0;

before(async () => {
  scrip = await createTestApp();
  buyer = await addBuyer(scrip);
  stock = await addSupplierRow(scrip.db);
});
after(() => scrip.close());

/** A product with this many codes at each of some suppliers. */
async function stocked(...levels: [supplierId: string, codes: number][]): Promise<string> {
  made += 1;
  const productId = `short-${made}`;
  await addProducts(scrip.db, [{ id: productId }]);
  await addListPrice(scrip.db, { productId, amountMinor: 100n });
  for (const [supplierId, codes] of levels) {
    await addRouteRow(scrip.db, { productId, supplierId });
    for (let code = 0; code < codes; code += 1) await addStockRow(scrip.db, { productId, supplierId });
  }
  await refreshSupply(scrip.db, [productId]);
  return productId;
}

const order = (...lines: [productId: string, quantity: number][]) => {
  made += 1;
  return postOrder(scrip, buyer, `short ${made}`, {
    lines: lines.map(([productId, quantity]) => ({ productId, quantity })),
  });
};

test("an order above the stock returns 422 with the available units, at the line that exceeds it, and charges nothing", async () => {
  const other = await stocked([stock, 5]);
  const productId = await stocked([stock, 3]);
  const before = [await balanceOf(scrip.db, buyer), (await ordersOf(scrip.db, buyer)).length];
  const reply = await order([productId, 2], [other, 5], [productId, 2]);
  assert.equal(reply.statusCode, 422, reply.body);
  const { code, available, errors, detail } = reply.json();
  assert.deepEqual([code, available], ["out_of_stock", 3]);
  assert.deepEqual(errors, [{ pointer: "/lines/2/quantity", code: "out_of_stock", detail }]);
  assert.match(detail, /^Only 3 of ".*" can be delivered now\.$/);
  assert.deepEqual([await balanceOf(scrip.db, buyer), (await ordersOf(scrip.db, buyer)).length], before);
  assert.equal((await order([productId, 1], [productId, 2])).statusCode, 202);
});

test("all stock suppliers count together, except disabled ones and expired codes", async () => {
  const second = await addSupplierRow(scrip.db);
  const off = await addSupplierRow(scrip.db);
  const productId = await stocked([stock, 2], [second, 2], [off, 5]);
  await scrip.db.rows(sql`update suppliers set enabled = false where id = ${off}`);
  await addStockRow(scrip.db, { productId, supplierId: stock, expiresAt: new Date(Date.now() - 1_000) });
  assert.equal((await order([productId, 5])).json().available, 4);
  assert.equal((await order([productId, 4])).statusCode, 202);
});

test("a remote supplier has no known limit, unless its pause is long", async () => {
  const scripId = await addSupplierRow(scrip.db, { kind: "scrip" });
  const productId = await stocked([stock, 1], [scripId, 0]);
  assert.equal((await order([productId, 9])).statusCode, 202);
  const pauseFor = (ms: number) =>
    scrip.db.rows(sql`update suppliers set open_until = ${new Date(Date.now() + ms)} where id = ${scripId}`);
  await pauseFor(50_000);
  assert.equal((await order([productId, 10])).statusCode, 202);
  await pauseFor(300_000);
  const fresh = await stocked([stock, 1], [scripId, 0]);
  assert.equal((await order([fresh, 9])).json().available, 1);
  await pauseFor(-1);
  assert.equal((await order([fresh, 9])).statusCode, 202);
});

test("a refusal is never older than the order: a code imported a moment ago is sold", async () => {
  const productId = await stocked([stock, 2]);
  assert.equal((await order([productId, 3])).json().available, 2);
  await addStockRow(scrip.db, { productId, supplierId: stock });
  assert.equal((await order([productId, 3])).statusCode, 202);
});

test("a bound key returns its order, however little stock is left", async () => {
  const productId = await stocked([stock, 3]);
  const body = { lines: [{ productId, quantity: 3 }] };
  const first = (await postOrder(scrip, buyer, "bound shortage", body)).json().order;
  await scrip.db.rows(sql`update codes set state = 'expired' where product_id = ${productId}`);
  const again = await postOrder(scrip, buyer, "bound shortage", body);
  assert.deepEqual([again.statusCode, again.json().order.id], [202, first.id]);
});

test("the sandbox has unlimited stock, and a sold-out product reports zero available", async () => {
  const productId = await stocked([stock, 1]);
  const sandbox = {
    ...buyer,
    environment: "test" as const,
    key: (await scrip.addKey(buyer.resellerId, { env: "test" })).key,
  };
  assert.equal(
    (await postOrder(scrip, sandbox, "sandbox", { lines: [{ productId, quantity: 9 }] })).statusCode,
    202,
  );
  const empty = await stocked([stock, 0]);
  const { code, available } = (await order([empty, 1])).json();
  assert.deepEqual([code, available], ["out_of_stock", 0]);
});

test("a product whose suppliers are all paused for long is not purchasable until their pause is almost over", async () => {
  const scripId = await addSupplierRow(scrip.db, { kind: "scrip" });
  const productId = await stocked([scripId, 0]);
  const isPurchasable = async (now: Date) => {
    await refreshSupply(scrip.db, undefined, now);
    const reply = await scrip.call("GET", `/v1/products/${productId}`, { key: buyer.key });
    return reply.json().product.purchasable;
  };
  const now = new Date();
  const later = new Date(now.getTime() + 240_000);
  assert.equal(await isPurchasable(now), true);
  await scrip.db.rows(sql`
    update suppliers set consecutive_failures = 12, open_until = ${new Date(now.getTime() + 300_000)}
    where id = ${scripId}`);
  assert.equal(await isPurchasable(now), false);
  assert.equal((await order([productId, 1])).json().code, "product_not_purchasable");
  // Without an order no one would find out that it sells again.
  assert.equal(await isPurchasable(later), true);
});
