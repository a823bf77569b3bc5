import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { type FilledDemo, fillDemo, isEmpty } from "./fill-demo.ts";

let scrip: TestApp;
let demo: FilledDemo;

before(async () => {
  scrip = await createTestApp();
  assert.equal(await isEmpty(scrip.db), true);
  demo = await fillDemo(scrip);
});

after(() => scrip.close());

type Product = { id: string; price?: object; purchasable: boolean };

async function readCatalog(key: string): Promise<Product[]> {
  return (await scrip.call("GET", "/v1/catalog?limit=100", { key })).json().data;
}

const order = (key: string, productId: string, quantity = 1) =>
  scrip.call("POST", "/v1/orders", {
    key,
    headers: { "content-type": "application/json", "idempotency-key": `demo ${productId}` },
    body: JSON.stringify({ lines: [{ productId, quantity }] }),
  });

test("the demo's live keys can buy about half of what they see, its test keys everything with a price", async () => {
  assert.equal(await isEmpty(scrip.db), false);
  for (const { liveKey, testKey } of demo.resellers) {
    const live = await readCatalog(liveKey);
    const share = live.filter((product) => product.purchasable).length / live.length;
    assert.ok(share > 0.4 && share < 0.7, `${share} of the catalog can be bought live`);
    for (const product of await readCatalog(testKey))
      assert.equal(product.purchasable, product.price !== undefined, product.id);
  }
});

test("a live order for a demo card is placed; without stock it is out of stock, without a route it is refused", async () => {
  const [{ liveKey, testKey }] = demo.resellers;
  assert.equal((await order(liveKey, "nimbus-us-25", 2)).statusCode, 202);
  assert.equal((await order(liveKey, "zephyr-ae-100")).json().code, "out_of_stock");
  assert.equal((await order(liveKey, "orbitmart-mx-500")).json().code, "product_not_purchasable");
  assert.equal((await order(testKey, "zephyr-ae-100")).statusCode, 202);
});

test("the demo reports how many codes it created, and stores none in plain text", async () => {
  const rows = await scrip.db.rows<{ sealed: Buffer }>(sql`
    select sealed from codes where state = 'stock' and environment = 'live'`);
  assert.equal(rows.length, demo.codes);
  assert.ok(demo.codes > 300);
  for (const { sealed } of rows) assert.doesNotMatch(sealed.toString("latin1"), /"code"|"url"/);
});
