import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts, setSupply } from "../../testing/builders/builders.ts";
import type { Supply } from "./queries.ts";

const FLIPS = 60;

let scrip: TestApp;
let keys: { live: string; test: string };

const SUPPLIES = ["none", "empty", "available"] as const;
const idOf = (supply: Supply, isPriced: boolean): string => `${supply}-${isPriced ? "priced" : "unpriced"}`;

before(async () => {
  scrip = await createTestApp();
  const resellerId = (await scrip.addReseller()).id;
  keys = {
    live: (await scrip.addKey(resellerId)).key,
    test: (await scrip.addKey(resellerId, { env: "test" })).key,
  };
  const matrix = SUPPLIES.flatMap((supply) =>
    [true, false].map((isPriced) => ({ id: idOf(supply, isPriced), supply })),
  );
  await addProducts(scrip.db, [...matrix, { id: "flips" }]);
  for (const productId of [...SUPPLIES.map((supply) => idOf(supply, true)), "flips"])
    await addListPrice(scrip.db, { productId, amountMinor: 2375n });
});

after(() => scrip.close());

type Product = { id: string; price?: object; purchasable: boolean };

for (const environment of ["live", "test"] as const) {
  for (const supply of SUPPLIES) {
    for (const isPriced of [true, false]) {
      const expected = isPriced && (environment === "test" || supply === "available");
      test(`a product that is ${isPriced ? "priced" : "unpriced"} with supply ${supply} is ${expected ? "" : "not "}purchasable with a ${environment} key, in the list and on its own`, async () => {
        const key = keys[environment];
        const id = idOf(supply, isPriced);
        const { product } = (await scrip.call("GET", `/v1/products/${id}`, { key })).json();
        const { data } = (await scrip.call("GET", "/v1/catalog", { key })).json();
        const entry = data.find((one: Product) => one.id === id);
        for (const seen of [product, entry]) {
          assert.equal(seen.purchasable, expected);
          // The price is shown whether or not there is stock.
          assert.equal("price" in seen, isPriced);
          assert.equal("supply" in seen, false);
        }
      });
    }
  }
}

for (const url of ["/v1/catalog", "/v1/products/flips"]) {
  test(`GET ${url} gets a new ETag when a product sells out, and its old one when it is back`, async () => {
    const read = (environment: "live" | "test", etag?: string) =>
      scrip.call("GET", url, {
        key: keys[environment],
        ...(etag === undefined ? {} : { headers: { "if-none-match": etag } }),
      });
    await setSupply(scrip.db, ["flips"], "available");
    const [full, sandbox] = [await read("live"), await read("test")];
    const etag = String(full.headers.etag);
    const sandboxEtag = String(sandbox.headers.etag);
    assert.equal((await read("live", etag)).statusCode, 304);

    await setSupply(scrip.db, ["flips"], "empty");
    const sold = await read("live", etag);
    assert.equal(sold.statusCode, 200);
    assert.notEqual(sold.headers.etag, etag);
    assert.equal((await read("test", sandboxEtag)).statusCode, 304);

    // Having no route looks the same as having no stock.
    await setSupply(scrip.db, ["flips"], "none");
    assert.equal((await read("live", String(sold.headers.etag))).statusCode, 304);

    await setSupply(scrip.db, ["flips"], "available");
    assert.equal((await read("live", etag)).statusCode, 304);
    assert.equal((await read("live")).body, full.body);
  });
}

test("a request that starts after a flip sees it, under concurrent reads", async () => {
  const isPurchasable = async (url: string): Promise<boolean> => {
    const reply = (await scrip.call("GET", url, { key: keys.live })).json();
    return (reply.product ?? reply.data.find((one: Product) => one.id === "flips")).purchasable;
  };
  const urls = ["/v1/catalog", "/v1/products/flips"];
  for (let flip = 0; flip < FLIPS; flip += 1) {
    const supply = flip % 2 === 0 ? "empty" : "available";
    const meanwhile = [...urls, ...urls].map(isPurchasable);
    await setSupply(scrip.db, ["flips"], supply);
    const now = await Promise.all([...urls, ...urls].map(isPurchasable));
    assert.deepEqual(new Set(now), new Set([supply === "available"]), `flip ${flip}`);
    await Promise.all(meanwhile);
  }
});

test("an uncommitted flip is not visible, and a rolled-back one has no effect", async () => {
  const read = async () => (await scrip.call("GET", "/v1/products/flips", { key: keys.live })).json().product;
  await setSupply(scrip.db, ["flips"], "available");
  const rolledBack = scrip.db.transaction(async (tx) => {
    await setSupply(tx, ["flips"], "empty");
    assert.equal((await read()).purchasable, true);
    throw new Error("on second thought");
  });
  await assert.rejects(rolledBack, /on second thought/);
  assert.equal((await read()).purchasable, true);
});
