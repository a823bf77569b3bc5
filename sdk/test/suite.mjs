// What the SDK promises, against a real server: run by runtimes.test.ts on each runtime, so it is plain JavaScript for the
// oldest of them. It prints a line for each promise that held, and must end by itself: a timer or a connection that the SDK
// left behind would keep it alive.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import process from "node:process";
import {
  addMoney,
  compareMoney,
  createClient,
  createEncryptionKeyPair,
  formatMoney,
  multiplyMoney,
  ScripError,
  SealedCodeError,
  sandboxCode,
  signWebhook,
  toMinorUnits,
  verifyWebhook,
  WebhookVerificationError,
} from "@scrip/sdk";

const { url, lossyUrl, apiKey, products, delivery } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const [card, gems] = products;
const scrip = createClient({ baseUrl: url, apiKey });
const oneCard = { lines: [{ productId: card, quantity: 1 }] };
const fails = (promise, expected) =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof ScripError, String(error));
    for (const [name, value] of Object.entries(expected)) assert.equal(error[name], value, name);
    return true;
  });

const promises = {
  async "the catalog is read, as a page and item by item"() {
    const page = await scrip.catalog.list({ limit: 1 });
    assert.equal(page.data.length, 1);
    assert.equal(page.hasMore, true);
    const found = [];
    for await (const product of scrip.catalog.list({ limit: 1 })) found.push(product.id);
    assert.deepEqual(found, [...products].sort());
    assert.equal((await scrip.products.get(card)).price.amount, 250);
  },

  async "an order is placed under a key of its own, waited for, and delivers the codes that were foretold"() {
    const lines = [
      { productId: card, quantity: 2 },
      { productId: gems, quantity: 1 },
    ];
    const { order, replayed, idempotencyKey } = await scrip.orders.place({ lines, expectedTotal: 750 });
    assert.equal(replayed, false);
    assert.match(idempotencyKey, /^[0-9a-f-]{36}$/);
    const ended = await scrip.orders.wait(order.id, { timeoutMs: 20000 });
    assert.equal(ended.status, "completed");
    const { data } = await scrip.orders.codes(order.id);
    const foretold = await Promise.all([
      sandboxCode(idempotencyKey, 0, 0),
      sandboxCode(idempotencyKey, 0, 1),
      sandboxCode(idempotencyKey, 1, 0),
    ]);
    assert.deepEqual(data.map(({ code }) => code).sort(), foretold.sort());
  },

  async "codes that are sealed to a key open with it alone"() {
    const [pair, other] = [await createEncryptionKeyPair(), await createEncryptionKeyPair()];
    const { kid } = await scrip.encryptionKey.register(pair.publicKey);
    assert.equal(kid, pair.kid);
    const { order, idempotencyKey } = await scrip.orders.place(oneCard);
    await scrip.orders.wait(order.id, { timeoutMs: 20000 });
    await scrip.encryptionKey.remove();
    const codes = await scrip.orders.codes(order.id);
    assert.equal(codes.data[0].code, undefined);
    assert.equal(codes.data[0].sealed.kid, kid);
    const opened = await codes.open([other.privateKey, pair.privateKey]);
    assert.equal(opened.data[0].code, await sandboxCode(idempotencyKey, 0, 0));
    await assert.rejects(codes.open(other.privateKey), SealedCodeError);
  },

  async "an answer that is lost on its way leaves one order, and the caller learns of it"() {
    const before = await scrip.wallet.balance();
    const lossy = createClient({ baseUrl: lossyUrl, apiKey });
    const { order, replayed, idempotencyKey } = await lossy.orders.place(oneCard);
    assert.equal(replayed, true);
    const { data } = await scrip.orders.list({ idempotencyKey });
    assert.deepEqual(
      data.map(({ id }) => id),
      [order.id],
    );
    const after = await scrip.wallet.balance();
    assert.equal(before.balance.amount - after.balance.amount, order.total.amount);
  },

  async "without retries an answer that broke off is an error that carries the key to place it again with"() {
    const lossy = createClient({ baseUrl: lossyUrl, apiKey, retries: 0 });
    const error = await lossy.orders.place(oneCard).then(assert.fail, (reason) => reason);
    assert.equal(error.code, "connection_failed");
    assert.equal(error.status, 0);
    const { idempotencyKey } = error;
    assert.equal((await lossy.orders.place(oneCard, { idempotencyKey })).replayed, true);
  },

  async "all orders are listed over all pages"() {
    const keys = ["list-1", "list-2", "list-3"];
    for (const key of keys)
      await scrip.orders.place({ ...oneCard, reference: "listed" }, { idempotencyKey: key });
    const ids = new Set();
    for await (const order of scrip.orders.list({ reference: "listed", limit: 2 })) ids.add(order.id);
    assert.equal(ids.size, keys.length);
    let pages = 0;
    for await (const page of scrip.orders.list({ reference: "listed", limit: 2 }).pages())
      pages += page.data.length > 0;
    assert.equal(pages, 2);
  },

  async "what the API refuses is an error with its code, status and request id"() {
    await fails(scrip.orders.get("ord_nobody"), { code: "not_found", status: 404 });
    await fails(scrip.catalog.list({ cursor: "broken" }), { code: "invalid_cursor", status: 400 });
    const poor = scrip.orders.place(oneCard, { testScenario: "insufficient_funds" });
    await fails(poor, { code: "insufficient_funds", status: 402 });
    const error = await scrip.products.get("nothing").then(assert.fail, (reason) => reason);
    assert.match(error.requestId, /^req_/);
    const stranger = createClient({ baseUrl: url, apiKey: "sc_test_stranger" });
    await fails(stranger.wallet.balance(), { status: 401 });
    const nowhere = createClient({ baseUrl: "http://127.0.0.1:1", apiKey, retries: 0 });
    await fails(nowhere.wallet.balance(), { code: "connection_failed", status: 0 });
  },

  async "waiting ends when it is aborted, and when its time is over"() {
    const { order } = await scrip.orders.place(oneCard, { testScenario: "stuck" });
    const controller = new AbortController();
    const waiting = scrip.orders.wait(order.id, { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await fails(waiting, { code: "aborted" });
    await fails(scrip.orders.wait(order.id, { timeoutMs: 300 }), { code: "timeout" });
    await fails(scrip.orders.get(order.id, { signal: AbortSignal.abort() }), { code: "aborted" });
  },

  async "a delivery that the server signed is verified, and a changed one refused"() {
    const { body, header, secret } = delivery;
    const headers = new Headers({ "service-signature": header });
    const event = await verifyWebhook(new TextEncoder().encode(body), headers, ["whsec_other", secret]);
    assert.deepEqual(event, JSON.parse(body));
    const refused = (error) =>
      error instanceof WebhookVerificationError && error.reason === "no_matching_signature";
    await assert.rejects(verifyWebhook(`${body} `, headers, secret), refused);
    const own = { "Service-Signature": await signWebhook(body, secret) };
    assert.equal((await verifyWebhook(body, own, secret)).id, event.id);
  },

  async "money is exact"() {
    const { balance } = await scrip.wallet.balance();
    assert.match(formatMoney(balance), /^\d+\.\d\d$/);
    const product = await scrip.products.get(card);
    const sum = addMoney(multiplyMoney(product.price, 3), {
      amount: toMinorUnits("0.01", "USD"),
      currency: "USD",
    });
    assert.equal(formatMoney(sum), "7.51");
    assert.equal(compareMoney(sum, balance), -1);
  },
};

for (const [name, hold] of Object.entries(promises)) {
  try {
    await hold();
  } catch (error) {
    throw new Error(`"${name}" does not hold`, { cause: error });
  }
  process.stdout.write(`held: ${name}\n`);
}
