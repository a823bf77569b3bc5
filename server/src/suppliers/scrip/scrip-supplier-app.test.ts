import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../../testing/builders/builders.ts";
import { addBuyer, addCard, type Buyer, CARD } from "../../../testing/builders/buyers.ts";
import { secret } from "../../lib/secret.ts";
import type { RemoteSupplier } from "../supplier.ts";
import { createScripSupplier } from "./scrip-supplier.ts";

let scrip: TestApp;
let baseUrl: string;
let buyer: Buyer;
let supplier: RemoteSupplier;

const PLAYER = { key: "playerId", type: "text", required: true, regex: "^[0-9]{5}$", options: [] };

before(async () => {
  scrip = await createTestApp();
  baseUrl = await scrip.app.listen({ host: "127.0.0.1", port: 0 });
  await addCard(scrip.db);
  await addProducts(scrip.db, [{ id: "top-up", inputFields: [PLAYER] }]);
  await addListPrice(scrip.db, { productId: "top-up", amountMinor: 250n });
  buyer = await addBuyer(scrip, "10.00");
  supplier = supplierWith(buyer.key);
});

after(() => scrip.close());

const supplierWith = (key: string, url = baseUrl) =>
  createScripSupplier({ baseUrl: url, apiKey: secret(key) });

const card = (reference: string) => ({ reference, sku: CARD, inputFields: null });

const notFound = { kind: "not_found", said: { httpStatus: 200 } };
const unusable = (httpStatus: number, word: string) => ({
  ...UNUSABLE,
  said: { httpStatus, word },
});
const UNUSABLE = { kind: "refused", failureCode: "temporarily_unavailable", supplierFault: true };

test("a purchase from a real Scrip is accepted once, and found by its reference and by its id", async () => {
  const first = await supplier.buy(card("unit-1"));
  assert.ok(first.kind === "accepted");
  const { upstreamId } = first;
  assert.deepEqual(first.said, { httpStatus: 202, word: "pending", upstreamId });
  const again = { ...first, said: { ...first.said, httpStatus: 200 } };
  assert.deepEqual(await supplier.buy(card("unit-1")), first);
  assert.deepEqual(await supplier.lookUp("unit-1", undefined), again);
  assert.deepEqual(await supplier.lookUp("unit-1", upstreamId), again);
  const [count] = await scrip.db.rows(
    sql`select count(*)::int as orders from orders where reseller_id = ${buyer.resellerId}`,
  );
  assert.deepEqual(count, { orders: 1 });
});

test("a purchase that a real Scrip has never heard of is not found; under an id it is unknown", async () => {
  assert.deepEqual(await supplier.lookUp("unit-none", undefined), notFound);
  const outcome = await supplier.lookUp("unit-none", "ord_00000000000000000000000000");
  const said = { httpStatus: 404, word: "not_found" };
  assert.deepEqual(outcome, { kind: "unknown", reason: "missing", said });
});

test("input fields go with the purchase", async () => {
  const request = { reference: "unit-2", sku: "top-up", inputFields: { playerId: "12345" } };
  const outcome = await supplier.buy(request);
  assert.equal(outcome.kind, "accepted");
  assert.deepEqual(await supplier.buy({ ...request, reference: "unit-3", inputFields: { playerId: "x" } }), {
    kind: "refused",
    failureCode: "invalid_account",
    supplierFault: false,
    said: { httpStatus: 422, word: "invalid_input_field" },
  });
});

test("a reference that was bought something else under says nothing", async () => {
  await supplier.buy(card("unit-4"));
  const other = { reference: "unit-4", sku: "top-up", inputFields: { playerId: "12345" } };
  assert.deepEqual(await supplier.buy(other), {
    ...{ kind: "unknown", reason: "conflict" },
    said: { httpStatus: 409, word: "idempotency_conflict" },
  });
});

test("an unknown product is out of stock, and an unknown path disqualifies the supplier", async () => {
  const said = { httpStatus: 404, word: "not_found" };
  const refusal = { kind: "refused", failureCode: "out_of_stock", supplierFault: false, said };
  assert.deepEqual(await supplier.buy({ ...card("unit-5"), sku: "nowhere" }), refusal);
  assert.deepEqual(
    await supplierWith(buyer.key, `${baseUrl}/elsewhere`).buy(card("unit-5")),
    unusable(404, "not_found"),
  );
});

test("a price that has changed buys nothing, and within the limit it is paid", async () => {
  const limit = { expectedMinor: 200n, maxMinor: 200n, currency: "USD" };
  const tooDear = await supplier.buy({ ...card("unit-7"), limit });
  assert.ok(tooDear.kind === "refused" && tooDear.price !== undefined && tooDear.price !== "unreadable");
  assert.deepEqual(await supplier.lookUp("unit-7", undefined), notFound);
  const { amountMinor } = tooDear.price;
  const paid = await supplier.buy({ ...card("unit-7"), limit: { ...limit, maxMinor: amountMinor } });
  assert.deepEqual(paid.kind === "accepted" && paid.price, tooDear.price);
});

test("no money, no scope and no valid key are the supplier's fault", async () => {
  const poor = await addBuyer(scrip, "1.00");
  assert.deepEqual(await supplierWith(poor.key).buy(card("unit-6")), unusable(402, "insufficient_funds"));
  const { key } = await scrip.addKey(buyer.resellerId, { scopes: ["orders:read"] });
  const noScope = { ...unusable(403, "forbidden"), isUnheard: true };
  assert.deepEqual(await supplierWith(key).buy(card("unit-6")), noScope);
  const signedOut = { ...unusable(401, "unauthenticated"), isUnheard: true };
  const stranger = supplierWith(`sc_live_${"x".repeat(38)}`);
  assert.deepEqual(await stranger.buy(card("unit-6")), signedOut);
  assert.deepEqual(await stranger.lookUp("unit-1", undefined), {
    ...{ kind: "unknown", reason: "not_authorized" },
    said: signedOut.said,
  });
});
