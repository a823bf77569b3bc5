import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, postOrder } from "../../testing/builders/buyers.ts";
import { limitReseller } from "../resellers/limit-reseller.ts";
import { changeKey } from "./change-key.ts";

let scrip: TestApp;

before(async () => {
  scrip = await createTestApp();
  await addProducts(scrip.db, [{ id: "card" }]);
  await addListPrice(scrip.db, { productId: "card", amountMinor: 250n });
});

after(() => scrip.close());

const me = async (key: string) => {
  const reply = await scrip.call("GET", "/v1/me", { key });
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.json();
};

test("any key reads what it is, whose it is and how often it may ask", async () => {
  const reseller = await scrip.addReseller();
  const expiresAt = new Date(scrip.clock.now().getTime() + 86_400_000);
  const added = { env: "test", scopes: ["requests:read"], expiresAt, allowedIps: ["127.0.0.0/8"] } as const;
  const { id, key } = await scrip.addKey(reseller.id, {
    ...added,
    scopes: [...added.scopes],
    allowedIps: [...added.allowedIps],
  });
  const { time, ...said } = await me(key);
  assert.equal(said.key.last4, key.slice(-4));
  assert.deepEqual(
    [
      said.key.id,
      said.key.environment,
      said.key.prefix,
      said.key.scopes,
      said.key.allowedIps,
      said.key.expiresAt,
    ],
    [id, "test", "sc_test_", ["requests:read"], ["127.0.0.0/8"], expiresAt.toISOString()],
  );
  assert.deepEqual(said.reseller, { id: reseller.id, name: reseller.name, currency: "USD" });
  assert.ok(Number.isFinite(Date.parse(time)));
  assert.equal((await scrip.call("GET", "/v1/me")).statusCode, 401);
});

test("limits are those of the reseller, where it has its own", async () => {
  const { id } = await scrip.addReseller();
  const { key } = await scrip.addKey(id);
  await limitReseller(scrip, id, { orders: 7, reads: 0 }, { actor: { kind: "command", id: "test" } });
  const { limits } = await me(key);
  assert.deepEqual(limits, { orders: { perSecond: 7, burst: 14 }, reads: { perSecond: 0, burst: 0 } });
});

test("what a key has spent today is for a key that may read the wallet", async () => {
  const buyer = await addBuyer(scrip);
  const limits = { maxOrder: "50.00", maxDay: "100.00" };
  await changeKey(scrip, buyer.keyId, { limits });
  const body = { lines: [{ productId: "card", quantity: 2 }] };
  assert.equal((await postOrder(scrip, buyer, "spent", body)).statusCode, 202);
  const { key } = await me(buyer.key);
  assert.deepEqual(
    [key.maxOrder, key.maxDay, key.spentToday],
    [5_000, 10_000, 500].map((amount) => ({ amount, currency: "USD" })),
  );
  const blind = await scrip.addKey(buyer.resellerId, { scopes: ["orders:write"] });
  assert.equal("spentToday" in (await me(blind.key)).key, false);
});
