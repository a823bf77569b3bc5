import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Client, type ClientOptions, createClient, type Listing, sandboxCode } from "@scrip/sdk";
import { createTestApp, type TestApp } from "../testing/app/test-app.ts";
import { TEST_WEBHOOKS } from "../testing/app/test-settings.ts";
import { addListPrice, addProducts } from "../testing/builders/builders.ts";
import { createTestFulfiller } from "../testing/builders/fulfilment.ts";

const PRODUCTS = ["card-1", "card-2", "card-3"];
const LINES = [{ productId: "card-1", quantity: 2 }];

let scrip: TestApp;
let client: (changes?: Partial<ClientOptions>) => Client;

before(async () => {
  scrip = await createTestApp();
  await addProducts(
    scrip.db,
    PRODUCTS.map((id) => ({ id })),
  );
  for (const productId of PRODUCTS) await addListPrice(scrip.db, { productId, amountMinor: 250n });
  const { id } = await scrip.addReseller();
  const { key } = await scrip.addKey(id, { env: "test" });
  const baseUrl = await scrip.app.listen({ host: "127.0.0.1", port: 0 });
  const worker = createTestFulfiller(scrip);
  // While the client pauses, the service works.
  const timing = { now: () => performance.now(), random: () => 0, wait: () => worker.drain() };
  client = (changes) => createClient({ baseUrl, apiKey: key, timing, ...changes });
});

after(() => scrip.close());

async function all<T>(listing: Listing<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of listing) items.push(item);
  return items;
}

test("the SDK reads the catalog page by page, a product and the balance", async () => {
  const { catalog, products, wallet } = client();
  assert.deepEqual(
    (await all(catalog.list({ limit: 1 }))).map(({ id }) => id),
    PRODUCTS,
  );
  const { price } = await products.get("card-2");
  assert.deepEqual(price, { amount: 250, currency: "USD", minorUnitExponent: 2 });
  assert.equal((await wallet.balance()).balance.currency, "USD");
  await assert.rejects(products.get("none"), { code: "not_found", status: 404 });
});

test("the SDK places an order, waits for it, and reads its codes, its entries and its event", async () => {
  const { orders, wallet, events } = client();
  const { order, replayed, idempotencyKey } = await orders.place({ lines: LINES, reference: "ours" });
  assert.equal(replayed, false);
  const ended = await orders.wait(order.id);
  assert.deepEqual([ended.status, ended.reference, ended.total.amount], ["completed", "ours", 500]);
  const { data } = await orders.codes(order.id);
  const expected = [await sandboxCode(idempotencyKey, 0, 0), await sandboxCode(idempotencyKey, 0, 1)];
  assert.deepEqual(data.map(({ code }) => code).sort(), expected.sort());
  assert.deepEqual(await all(orders.list({ idempotencyKey })), [ended]);
  assert.deepEqual(await all(orders.list({ status: "failed" })), []);
  const [entry] = await all(wallet.entries({ orderId: order.id, type: "order" }));
  assert.equal(entry?.amount, -500);
  const [event] = await all(events.list({ orderId: order.id }));
  assert.deepEqual(event?.data, {
    order_id: order.id,
    status: "fulfilled",
    reference: "ours",
    environment: "test",
  });
  assert.deepEqual(await events.get(event?.id ?? ""), event);
});

test("an answer that the SDK loses is no second order", async () => {
  let answers = 0;
  const losing: ClientOptions["fetch"] = async (url, init) => {
    const response = await fetch(url, init);
    answers += 1;
    if (answers === 1) throw new TypeError("fetch failed");
    return response;
  };
  const { order, replayed, idempotencyKey } = await client({ fetch: losing }).orders.place({ lines: LINES });
  assert.deepEqual([answers, replayed], [2, true]);
  const found = await all(client().orders.list({ idempotencyKey }));
  assert.deepEqual(
    found.map(({ id }) => id),
    [order.id],
  );
});

test("a scenario that the SDK asks for is played, and its error told", async () => {
  const { orders, wallet } = client();
  const refused = orders.place({ lines: LINES }, { testScenario: "insufficient_funds" });
  await assert.rejects(refused, { code: "insufficient_funds", status: 402 });
  const busy = wallet.balance({ testScenario: "service_unavailable", retries: 1 });
  await assert.rejects(busy, { code: "service_unavailable", isRetryable: true });
  const { order } = await orders.place({ lines: LINES }, { testScenario: "refunded" });
  assert.equal((await orders.wait(order.id)).status, "refunded");
});

test("the SDK manages an endpoint from its registration to its removal", async () => {
  const { webhooks, deliveries, eventTypes } = client();
  const url = "https://shop.example.com/hook";
  const { webhook, secret } = await webhooks.register({ url, events: ["order.fulfilled"] });
  assert.match(secret, /^whsec_/);
  assert.deepEqual(await all(webhooks.list()), [webhook]);
  assert.deepEqual(await webhooks.get(webhook.id), webhook);
  assert.ok((await all(eventTypes.list())).some(({ type }) => type === "order.refunded"));
  const rotated = await webhooks.rotate(webhook.id, { gracePeriodSeconds: 60 });
  assert.notEqual(rotated.secret, secret);
  await webhooks.rotate(webhook.id);
  const delivery = await webhooks.test(webhook.id);
  assert.deepEqual(
    (await all(webhooks.deliveries(webhook.id, { status: "pending" }))).map(({ id }) => id),
    [delivery.id],
  );
  assert.equal((await deliveries.redeliver(delivery.id)).status, "pending");
  const since = new Date(Date.now() - 3_600_000).toISOString();
  assert.equal((await webhooks.recover(webhook.id, { since })).hasMore, false);
  assert.deepEqual(await webhooks.egressIps(), TEST_WEBHOOKS.egressIps);
  assert.equal((await webhooks.update(webhook.id, { active: false })).active, false);
  await webhooks.remove(webhook.id);
  await assert.rejects(webhooks.get(webhook.id), { code: "not_found" });
});
