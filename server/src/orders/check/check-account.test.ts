import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../../testing/builders/builders.ts";
import { addBuyer, type Buyer } from "../../../testing/builders/buyers.ts";
import { addRouteRow, addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { readPricedProducts } from "../../catalog/prices/priced-products.ts";
import type { Caller } from "../../http/caller.ts";
import { secret } from "../../lib/secret.ts";
import { createScripSupplier } from "../../suppliers/scrip/scrip-supplier.ts";
import type { AccountCheck, RemoteSupplier } from "../../suppliers/supplier.ts";
import { checkAccount } from "./check-account.ts";

const ACCOUNT = { key: "account", type: "text", required: true, regex: "^[0-9]{4,12}$", options: [] };
const REGION = {
  key: "region",
  type: "select",
  required: false,
  regex: "",
  options: [{ value: "eu", label: "EU", parentValue: "" }],
};

let scrip: TestApp;
let buyer: Buyer;
let testKey: string;

before(async () => {
  scrip = await createTestApp();
  buyer = await addBuyer(scrip);
  testKey = (await scrip.addKey(buyer.resellerId, { env: "test" })).key;
  await addProducts(scrip.db, [
    { id: "top-up", inputFields: [REGION, ACCOUNT] },
    { id: "card" },
    { id: "hidden", hidden: true, inputFields: [ACCOUNT] },
  ]);
  for (const productId of ["top-up", "card"]) await addListPrice(scrip.db, { productId, amountMinor: 100n });
});
after(() => scrip.close());

const post = (id: string, body: unknown, key = testKey) =>
  scrip.call("POST", `/v1/products/${id}/check`, {
    key,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** A live check with these suppliers, in the order of the product's routes. */
async function checkLive(
  answers: readonly (Partial<RemoteSupplier> | undefined)[],
  fieldMap?: Readonly<Record<string, string>>,
): Promise<AccountCheck> {
  await scrip.db.rows(sql`delete from supplier_routes where product_id = 'top-up'`);
  const suppliers = new Map<string, Partial<RemoteSupplier> | undefined>();
  for (const [priority, supplier] of answers.entries()) {
    const supplierId = await addSupplierRow(scrip.db, { kind: "scrip" });
    await addRouteRow(scrip.db, { productId: "top-up", supplierId, priority });
    suppliers.set(supplierId, supplier);
  }
  if (fieldMap)
    await scrip.db.rows(sql`update supplier_routes set field_map = ${JSON.stringify(fieldMap)}::jsonb`);
  const deps = {
    db: scrip.db,
    clock: scrip.clock,
    readProducts: ({ resellerId }: { resellerId: string }, ids: readonly string[]) =>
      readPricedProducts(scrip.db, resellerId, ids),
    openSupplier: async (id: string) => {
      const supplier = suppliers.get(id);
      return supplier && { supplier: supplier as RemoteSupplier, hasFailed: false };
    },
  };
  return checkAccount(deps, { ...buyer } as unknown as Caller, "top-up", { account: 1234 });
}

const says = (check: AccountCheck): Partial<RemoteSupplier> => ({ checkAccount: async () => check });

test("the sandbox decides by the end of the account, and numbers count as text", async () => {
  const results = [];
  for (const account of ["123456", 1404, "1503"])
    results.push((await post("top-up", { inputFields: { account, region: "eu" } })).json());
  assert.deepEqual(results, [
    { result: "valid", displayName: "TEST Player" },
    { result: "invalid" },
    { result: "unknown" },
  ]);
});

test("a supplier is asked by the names of its route", async () => {
  const asked: unknown[] = [];
  const supplier: Partial<RemoteSupplier> = {
    checkAccount: async ({ inputFields }) => {
      asked.push({ ...inputFields });
      return { result: "valid" };
    },
  };
  await checkLive([supplier], { account: "account_number" });
  assert.deepEqual(asked, [{ account_number: "1234" }]);
});

test("values are checked like those of an order, and what cannot be seen is not found", async () => {
  for (const [body, status, code, pointer] of [
    [{ inputFields: {} }, 422, "invalid_input_field", "/inputFields/account"],
    [{ inputFields: { account: "abc" } }, 422, "invalid_input_field", "/inputFields/account"],
    [{ inputFields: { account: "1234", more: "1" } }, 422, "invalid_input_field", "/inputFields/more"],
    [{ inputFields: { account: ["1234"] } }, 422, "invalid_input_field", "/inputFields/account"],
    [{ inputFields: "1234" }, 400, "invalid_request", "/inputFields"],
    [{}, 400, "invalid_request", "/inputFields"],
    [{ inputFields: {}, dryRun: true }, 400, "invalid_request", "/dryRun"],
  ] as const) {
    const reply = await post("top-up", body);
    assert.deepEqual([reply.statusCode, reply.json().code], [status, code], reply.body);
    assert.equal(reply.json().errors[0].pointer, pointer);
  }
  for (const id of ["hidden", "none", "a%00b"])
    assert.equal((await post(id, { inputFields: { account: "1234" } })).statusCode, 404);
  assert.deepEqual((await post("card", { inputFields: {} })).json(), { result: "unknown" });
});

test("a live check asks the suppliers of the routes in turn, until one can tell", async () => {
  const named = { result: "valid", displayName: "Ünïcode 玩家" } as const;
  assert.deepEqual(
    await checkLive([says({ result: "unknown" }), says(named), says({ result: "invalid" })]),
    named,
  );
  assert.deepEqual(await checkLive([says({ result: "invalid", displayName: "x" })]), { result: "invalid" });
  const broken = { checkAccount: () => Promise.reject(new Error("down")) };
  assert.deepEqual(await checkLive([broken, {}, undefined]), { result: "unknown" });
  assert.deepEqual(await checkLive([]), { result: "unknown" });
  for (const displayName of ["", "x".repeat(101), "a\u202eb", "a\nb"])
    assert.deepEqual(await checkLive([says({ result: "valid", displayName })]), { result: "valid" });
});

test("a supplier that does not answer in time leaves it unknown", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let hasAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    hasAsked = resolve;
  });
  const checking = checkLive([
    {
      checkAccount: () => {
        hasAsked();
        return new Promise(() => {});
      },
    },
  ]);
  await asked;
  t.mock.timers.tick(5_000);
  assert.deepEqual(await checking, { result: "unknown" });
});

test("stock cannot tell, and a disabled supplier is not asked", async () => {
  await scrip.db.rows(sql`delete from supplier_routes where product_id = 'top-up'`);
  await addRouteRow(scrip.db, { productId: "top-up", supplierId: await addSupplierRow(scrip.db) });
  const reply = await post("top-up", { inputFields: { account: "1234" } }, buyer.key);
  assert.deepEqual(reply.json(), { result: "unknown" });
});

test("another Scrip is asked over its API, and an error says nothing", async () => {
  const answers: Response[] = [
    Response.json({ result: "valid", displayName: "Player" }),
    Response.json({ result: "invalid" }),
    Response.json({ result: "moved" }),
    Response.json({ code: "rate_limited" }, { status: 429 }),
    new Response("<html>", { status: 200 }),
  ];
  const heard: string[] = [];
  const supplier = createScripSupplier({
    baseUrl: "https://upstream.example",
    apiKey: secret("sc_live_0"),
    fetch: async (url, { body }) => {
      heard.push(`${url} ${body}`);
      return answers.shift() as Response;
    },
  });
  const results: unknown[] = [];
  for (let time = 0; time < 5; time += 1)
    results.push(await supplier.checkAccount?.({ sku: "gems/1", inputFields: { account: "7" } }));
  assert.deepEqual(results, [
    { result: "valid", displayName: "Player" },
    { result: "invalid" },
    { result: "unknown" },
    { result: "unknown" },
    { result: "unknown" },
  ]);
  assert.equal(
    heard[0],
    'https://upstream.example/v1/products/gems%2F1/check {"inputFields":{"account":"7"}}',
  );
});

test("checks have their own limit, for all keys of a reseller together", async () => {
  const limited = await createTestApp({ beside: scrip, rateLimits: { orders: 0, reads: 0, checks: 1 } });
  try {
    const { resellerId } = await addBuyer(scrip);
    const keys = await Promise.all(
      Array.from({ length: 12 }, () => scrip.addKey(resellerId, { env: "test" })),
    );
    const body = JSON.stringify({ inputFields: { account: "1234" } });
    const headers = { "content-type": "application/json" };
    const replies = await Promise.all(
      keys.map(({ key }) => limited.call("POST", "/v1/products/top-up/check", { key, headers, body })),
    );
    const statuses = replies.map(({ statusCode }) => statusCode);
    assert.ok(statuses.includes(200) && statuses.includes(429), statuses.join());
    for (const reply of replies) assert.equal(reply.headers["ratelimit-policy"], '"checks";q=2;w=2');
    const [first] = keys;
    const read = await limited.call("GET", "/v1/products/top-up", { key: first?.key ?? "" });
    assert.equal(read.statusCode, 200);
  } finally {
    await limited.app.close();
  }
});
