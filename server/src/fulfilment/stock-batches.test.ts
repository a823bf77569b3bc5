import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, postOrder } from "../../testing/builders/buyers.ts";
import { createTestFulfiller, type TestFulfiller } from "../../testing/builders/fulfilment.ts";
import { importStock } from "../suppliers/stock/import-stock.ts";
import { listStockLevels } from "../suppliers/stock/stock-queries.ts";
import { createCodeDigest } from "../vault/code-digest.ts";

let scrip: TestApp;
let buyer: Buyer;
let worker: TestFulfiller;

before(async () => {
  // As if what is missing had been sold after it was ordered.
  scrip = await createTestApp({ findShortage: async () => undefined });
  buyer = await addBuyer(scrip);
  worker = createTestFulfiller(scrip);
  await addProducts(scrip.db, [{ id: "card" }]);
  await addListPrice(scrip.db, { productId: "card", amountMinor: 1_000n });
});
after(() => scrip.close());

async function bring(codes: string[], cost?: string, currency?: string): Promise<void> {
  const deps = { ...scrip, digestCode: createCodeDigest(scrip.secrets.codeDigestKey) };
  const file = (async function* () {
    yield Buffer.from(`code\n${codes.join("\n")}\n`);
  })();
  const result = await importStock(deps, { file, productId: "card", cost, currency, onFault: () => {} });
  assert.ok(result.ok);
}

let placed = 0;
async function sell(quantity: number): Promise<string> {
  placed += 1;
  const reply = await postOrder(scrip, buyer, `order-${placed}`, {
    lines: [{ productId: "card", quantity }],
  });
  assert.equal(reply.statusCode, 202, reply.body);
  await worker.drain();
  return reply.json().order.id;
}

const costsOf = (orderId: string) =>
  scrip.db.rows<object>(sql`
    select a.status, a.cost_minor as cost, a.cost_currency as currency from supplier_attempts a
    where a.order_id = ${orderId} order by a.unit_index, a.number`);
const delivered = (cost: bigint, currency: string) => ({ status: "delivered", cost, currency });

test("a code is sold at the cost of its batch, at once and with a lease, whatever came in later", async () => {
  await bring(["A-1", "A-2"], "8.00", "USD");
  await bring(["B-1", "B-2"], "7.50", "EUR");
  await bring(["C-1"]);
  assert.deepEqual(
    (await listStockLevels(scrip.db, { productId: "card", now: scrip.clock.now() }))[0]?.value,
    [
      { currency: "EUR", minor: 2_250n },
      { currency: "USD", minor: 1_600n },
    ],
  );
  const whole = await sell(3);
  assert.deepEqual(await costsOf(whole), [
    delivered(800n, "USD"),
    delivered(800n, "USD"),
    delivered(750n, "EUR"),
  ]);
  // One code is missing, so the order needs more than stock and is taken with a lease.
  const short = await sell(3);
  assert.deepEqual(
    (await costsOf(short)).filter((one) => (one as { status: string }).status === "delivered"),
    [delivered(750n, "EUR"), delivered(750n, "EUR")],
  );
});

test("a batch of unknown cost costs what the route says when it is sold", async () => {
  await scrip.db.rows(sql`update supplier_routes set cost_minor = null, cost_currency = null`);
  await bring(["D-1"]);
  await scrip.db.rows(sql`update supplier_routes set cost_minor = 810, cost_currency = 'USD'`);
  assert.deepEqual(await costsOf(await sell(1)), [delivered(810n, "USD")]);
});
