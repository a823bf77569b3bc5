import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { setHidden } from "./hide-product.ts";
import { setListing } from "./prices/set-listing.ts";
import { setPrice } from "./prices/set-price.ts";

let scrip: TestApp;
let resellerId: string;
let key: string;
let euroKey: string;

before(async () => {
  scrip = await createTestApp();
  resellerId = (await scrip.addReseller()).id;
  key = (await scrip.addKey(resellerId)).key;
  euroKey = (await scrip.addKey((await scrip.addReseller({ currency: "EUR" })).id)).key;
  await addProducts(scrip.db, [
    { id: "card-25" },
    {
      id: "card-50",
      name: "Unpriced",
      faceValue: { amount: "5000", currency: "JPY", unit: "JPY", isMoney: true },
    },
    {
      id: "coins",
      bonus: "+32 UC",
      faceValue: { amount: "325", currency: "USD", unit: "UC", isMoney: false },
      inputFields: [PLAYER],
    },
    { id: "hidden", hidden: true },
    { id: "inactive", active: false },
    { id: "unlisted" },
  ]);
  for (const productId of ["card-25", "coins", "hidden", "inactive", "unlisted"]) {
    await addListPrice(scrip.db, { productId, amountMinor: 2375n, strikeMinor: 2500n });
  }
  await setListing(scrip.db, { resellerId, productId: "unlisted", listed: false });
});

after(() => scrip.close());

const PLAYER = { key: "playerId", type: "text", required: true, regex: "^[0-9]{5,12}$", options: [] };

test("GET /v1/catalog lists active, visible, listed products by id, with all four faceValue fields", async () => {
  const reply = await scrip.call("GET", "/v1/catalog", { key });
  assert.equal(reply.statusCode, 200);
  const page = reply.json();
  const times = page.data.map(({ updatedAt }: { updatedAt: string }) => updatedAt);
  for (const updatedAt of times) assert.match(updatedAt, /^\d{4}-.*T.*\.\d{3}Z$/);
  assert.deepEqual(page, {
    data: [
      {
        id: "card-25",
        name: "Product card-25",
        faceValue: { amount: "25.00", currency: "USD", unit: "USD", isMoney: true },
        price: { amount: 2375, currency: "USD", minorUnitExponent: 2 },
        strikePrice: { amount: 2500, currency: "USD", minorUnitExponent: 2 },
        bonus: "",
        minQuantity: 1,
        maxQuantity: 10,
        purchasable: true,
        updatedAt: times[0],
      },
      {
        id: "card-50",
        name: "Unpriced",
        faceValue: { amount: "5000", currency: "JPY", unit: "JPY", isMoney: true },
        bonus: "",
        minQuantity: 1,
        maxQuantity: 10,
        purchasable: false,
        updatedAt: times[1],
      },
      {
        id: "coins",
        name: "Product coins",
        faceValue: { amount: "325", currency: "USD", unit: "UC", isMoney: false },
        price: { amount: 2375, currency: "USD", minorUnitExponent: 2 },
        strikePrice: { amount: 2500, currency: "USD", minorUnitExponent: 2 },
        bonus: "+32 UC",
        minQuantity: 1,
        maxQuantity: 10,
        purchasable: true,
        updatedAt: times[2],
        inputFields: [PLAYER],
      },
    ],
    hasMore: false,
    nextCursor: "",
  });
});

test("GET /v1/products/{id} carries all four fields of the face value", async () => {
  const reply = await scrip.call("GET", "/v1/products/coins", { key });
  assert.equal(reply.statusCode, 200);
  assert.deepEqual(reply.json().product.faceValue, {
    amount: "325",
    currency: "USD",
    unit: "UC",
    isMoney: false,
  });
  assert.deepEqual(reply.json().product.inputFields, [PLAYER]);
});

test("GET /v1/products/{id} returns the same 404 for a hidden, inactive, unlisted or missing product", async () => {
  const bodies = await Promise.all(
    ["hidden", "inactive", "unlisted", "missing"].map(async (id) => {
      const reply = await scrip.call("GET", `/v1/products/${id}`, { key });
      assert.equal(reply.statusCode, 404);
      const { "x-request-id": requestId, date: _date, ...headers } = reply.headers;
      return { headers, body: reply.body.replace(String(requestId), "REQ") };
    }),
  );
  for (const body of bodies) assert.deepEqual(body, bodies[0]);
});

test("a price list in another currency gives no price, and the product is not purchasable", async () => {
  const reply = await scrip.call("GET", "/v1/products/card-25", { key: euroKey });
  assert.equal(reply.json().product.price, undefined);
  assert.equal(reply.json().product.strikePrice, undefined);
  assert.equal(reply.json().product.purchasable, false);
});

test("a product unlisted for one reseller is listed for the others", async () => {
  assert.equal((await scrip.call("GET", "/v1/products/unlisted", { key: euroKey })).statusCode, 200);
});

test("a product that is listed again is there with the next request, in the list and by its id", async () => {
  const reads = async () => {
    const page = await scrip.call("GET", "/v1/catalog?limit=100", { key });
    const one = await scrip.call("GET", "/v1/products/coins", { key });
    return [page.json().data.some(({ id }: { id: string }) => id === "coins"), one.statusCode];
  };
  assert.deepEqual(await reads(), [true, 200]);
  await setListing(scrip.db, { resellerId, productId: "coins", listed: false });
  assert.deepEqual(await reads(), [false, 404]);
  await setListing(scrip.db, { resellerId, productId: "coins", listed: true });
  assert.deepEqual(await reads(), [true, 200]);
});

test("a reseller's own price without a strike price overrides the list price from the next request on", async () => {
  await scrip.call("GET", "/v1/products/card-25", { key });
  await setPrice(scrip.db, scrip.clock, {
    productId: "card-25",
    target: { kind: "reseller", resellerId, currency: "USD" },
    amount: "21.5",
    strike: undefined,
  });
  const { product } = (await scrip.call("GET", "/v1/products/card-25", { key })).json();
  assert.deepEqual(product.price, { amount: 2150, currency: "USD", minorUnitExponent: 2 });
  assert.equal("strikePrice" in product, false);
});

test("hiding a product removes it from the next request, and showing it restores it", async () => {
  assert.equal((await scrip.call("GET", "/v1/products/coins", { key })).statusCode, 200);
  await setHidden(scrip.db, scrip.clock, "coins", true);
  assert.equal((await scrip.call("GET", "/v1/products/coins", { key })).statusCode, 404);
  const ids = (await scrip.call("GET", "/v1/catalog", { key }))
    .json()
    .data.map((row: { id: string }) => row.id);
  assert.deepEqual(ids, ["card-25", "card-50"]);
  await setHidden(scrip.db, scrip.clock, "coins", false);
  assert.equal((await scrip.call("GET", "/v1/products/coins", { key })).statusCode, 200);
});

test("a current ETag returns 304 without a body, and an outdated one returns 200", async () => {
  for (const url of ["/v1/catalog?limit=2", "/v1/products/card-25"]) {
    const first = await scrip.call("GET", url, { key });
    const etag = String(first.headers.etag);
    assert.match(etag, /^"[^"]+"$/);
    for (const header of [etag, `"other", ${etag}`, `W/${etag}`, "*"]) {
      const again = await scrip.call("GET", url, { key, headers: { "if-none-match": header } });
      assert.equal(again.statusCode, 304);
      assert.equal(again.body, "");
      assert.equal(again.headers.etag, etag);
    }
    assert.equal(
      (await scrip.call("GET", url, { key, headers: { "if-none-match": '"other"' } })).statusCode,
      200,
    );
  }
});

test("changing one product changes its ETag and no other", async () => {
  const etagOf = async (id: string) => (await scrip.call("GET", `/v1/products/${id}`, { key })).headers.etag;
  const before = [await etagOf("card-25"), await etagOf("coins")];
  await setPrice(scrip.db, scrip.clock, {
    productId: "coins",
    target: { kind: "list", priceList: "standard", currency: "USD" },
    amount: "4.99",
    strike: undefined,
  });
  assert.equal(await etagOf("card-25"), before[0]);
  assert.notEqual(await etagOf("coins"), before[1]);
});

test("a test key sees the same catalog as the reseller's live key", async () => {
  const testKey = (await scrip.addKey(resellerId, { env: "test" })).key;
  const [live, sandbox] = [
    await scrip.call("GET", "/v1/catalog", { key }),
    await scrip.call("GET", "/v1/catalog", { key: testKey }),
  ];
  assert.deepEqual(sandbox.json().data, live.json().data);
});
