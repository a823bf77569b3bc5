import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts, setSupply } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, balanceOf, ordersOf, postOrder } from "../../testing/builders/buyers.ts";
import { eventually } from "../../testing/eventually.ts";
import { audit } from "../audit/audit.ts";
import { createProductReader } from "../catalog/prices/priced-products.ts";
import type { Supply } from "../catalog/queries.ts";
import type { Tx } from "../db/database.ts";
import type { Caller, Tenant } from "../http/caller.ts";
import { Problem } from "../lib/problem.ts";
import { lockWallet } from "../wallet/queries.ts";
import { toOrderRequest } from "./order-request.ts";
import { placeOrder } from "./place-order.ts";
import type { SubmitPlacement } from "./placing/placement-batch.ts";

let scrip: TestApp;
let live: Buyer;
let sandbox: Buyer;

before(async () => {
  scrip = await createTestApp();
  live = await addBuyer(scrip);
  const { id: keyId, key } = await scrip.addKey(live.resellerId, { env: "test" });
  sandbox = { resellerId: live.resellerId, environment: "test", keyId, key };
  const matrix = SUPPLIES.flatMap((supply) => [
    { id: `${supply}-priced`, supply },
    { id: `${supply}-unpriced`, supply },
  ]);
  await addProducts(scrip.db, [...matrix, { id: "card" }, { id: "flips" }]);
  for (const productId of [...SUPPLIES.map((supply) => `${supply}-priced`), "card", "flips"])
    await addListPrice(scrip.db, { productId, amountMinor: 250n });
});

after(async () => {
  try {
    const { ok, invariants } = await audit(scrip.db);
    assert.ok(ok, JSON.stringify(invariants));
  } finally {
    await scrip.close();
  }
});

const SUPPLIES: readonly Supply[] = ["none", "empty", "available"];
const buy = (...ids: string[]) => ({ lines: ids.map((productId) => ({ productId, quantity: 1 })) });

async function entriesOf({ resellerId, environment }: Tenant): Promise<number> {
  const rows = await scrip.db.rows(sql`
    select from ledger_entries where reseller_id = ${resellerId} and environment = ${environment}`);
  return rows.length;
}

const stateOf = async (buyer: Buyer) => [
  (await ordersOf(scrip.db, buyer)).length,
  await entriesOf(buyer),
  await balanceOf(scrip.db, buyer),
];

const REFUSALS: [environment: "live" | "test", productId: string, code: string][] = [
  ["live", "none-priced", "product_not_purchasable"],
  ["live", "empty-priced", "out_of_stock"],
  ...SUPPLIES.flatMap((supply): [["live", string, string], ["test", string, string]] => [
    ["live", `${supply}-unpriced`, "product_not_purchasable"],
    ["test", `${supply}-unpriced`, "product_not_purchasable"],
  ]),
];

for (const [environment, productId, code] of REFUSALS) {
  test(`POST /v1/orders of ${productId} with a ${environment} key returns 422 ${code} at its line and leaves no order and no entry`, async () => {
    const buyer = environment === "live" ? live : sandbox;
    const before = await stateOf(buyer);
    const reply = await postOrder(scrip, buyer, `refused ${productId}`, buy("card", productId));
    assert.equal(reply.statusCode, 422, reply.body);
    assert.equal(reply.json().code, code);
    assert.deepEqual(
      reply.json().errors.map((error: { pointer: string; code: string }) => [error.pointer, error.code]),
      [["/lines/1/productId", code]],
    );
    assert.deepEqual(await stateOf(buyer), before);
  });
}

for (const supply of SUPPLIES) {
  test(`POST /v1/orders with a test key accepts a priced product whose live supply is ${supply}`, async () => {
    const reply = await postOrder(scrip, sandbox, `sandbox ${supply}`, buy(`${supply}-priced`));
    assert.equal(reply.statusCode, 202, reply.body);
  });
}

test("an order is refused from the moment a product sells out, and its key places it once it is back", async () => {
  await setSupply(scrip.db, ["flips"], "available");
  assert.equal((await postOrder(scrip, live, "flips first", buy("flips"))).statusCode, 202);
  const before = await stateOf(live);
  for (const [supply, code] of [
    ["empty", "out_of_stock"],
    ["none", "product_not_purchasable"],
  ] as const) {
    await setSupply(scrip.db, ["flips"], supply);
    const refused = await postOrder(scrip, live, "flips second", buy("flips"));
    assert.deepEqual([refused.statusCode, refused.json().code], [422, code]);
  }
  assert.deepEqual(await stateOf(live), before);
  await setSupply(scrip.db, ["flips"], "available");
  assert.equal((await postOrder(scrip, live, "flips second", buy("flips"))).statusCode, 202);
});

test("a bound key returns its order after the product has sold out and lost its route", async () => {
  await setSupply(scrip.db, ["flips"], "available");
  const first = (await postOrder(scrip, live, "flips bound", buy("flips"))).json().order;
  const before = await stateOf(live);
  for (const supply of ["empty", "none"] as const) {
    await setSupply(scrip.db, ["flips"], supply);
    const again = await postOrder(scrip, live, "flips bound", buy("flips"));
    assert.equal(again.statusCode, 202, again.body);
    assert.equal(again.headers["idempotent-replayed"], "true");
    assert.deepEqual([again.json().order.id, again.json().order.total], [first.id, first.total]);
    const other = await postOrder(scrip, live, "flips bound", buy("flips", "flips"));
    assert.equal(other.json().code, "idempotency_conflict");
  }
  assert.deepEqual(await stateOf(live), before);
});

test("an order that waits for its wallet while the product sells out returns 422 out_of_stock", async () => {
  await setSupply(scrip.db, ["flips"], "available");
  const buyer = await addBuyer(scrip);
  const waiting = await scrip.db.transaction(async (tx) => {
    await lockWallet(tx, buyer);
    const reply = postOrder(scrip, buyer, "waits", buy("flips"));
    await eventually("the order waits for the wallet's lock", someoneWaitsForALock);
    await setSupply(scrip.db, ["flips"], "empty");
    return { reply };
  });
  const reply = await waiting.reply;
  assert.deepEqual([reply.statusCode, reply.json().code], [422, "out_of_stock"]);
  assert.deepEqual(await ordersOf(scrip.db, buyer), []);
});

const someoneWaitsForALock = async (): Promise<true | undefined> => {
  const waiting = await scrip.db.rows(sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  return waiting.length > 0 ? true : undefined;
};

test("an order that is priced under the wallet's lock follows the supply of its own environment", async () => {
  await setSupply(scrip.db, ["flips"], "empty");
  for (const [buyer, expected] of [
    [live, "out_of_stock"],
    [sandbox, "priced"],
  ] as const) {
    const priced: string[] = [];
    /** Treats every price as stale until the placement can be priced here. */
    const submit: SubmitPlacement = async ({ catalogRevision, priceAgain }) => {
      if (!priceAgain) return { kind: "stale", catalogRevision };
      const result = await scrip.db.transaction((tx: Tx) => priceAgain(tx));
      priced.push(result instanceof Problem ? result.code : "priced");
      return { kind: "refused", problem: new Problem("service_unavailable", "Enough was seen.") };
    };
    const caller: Caller = {
      ...buyer,
      actor: { kind: "key", id: buyer.keyId },
      scopes: [],
      allowedIps: [],
      rateLimits: { orders: undefined, reads: undefined },
      catalogRevision: "0.0",
    };
    const deps = {
      db: scrip.db,
      readProducts: createProductReader(scrip.db),
      findShortage: async () => undefined,
      submit,
      clock: scrip.clock,
      underWay: new Map(),
      onPlaced: () => {},
    };
    const request = toOrderRequest(buy("flips"));
    const input = { idempotencyKey: "under the lock", request, scenario: undefined };
    await assert.rejects(placeOrder(deps, caller, input), /Enough was seen/);
    assert.deepEqual(priced, [expected]);
  }
});
