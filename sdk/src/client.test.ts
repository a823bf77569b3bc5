import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "./client.ts";
import { API_KEY, codes, json, order, problem, startAnswering } from "./testing/answering-server.ts";
import { signWebhook } from "./webhooks/sign-webhook.ts";

const LINES = [{ productId: "card", quantity: 1, inputFields: { player: "12345" } }];
const PLACED = { id: "ord_1", status: "pending", total: { amount: 250, currency: "USD" } };

test("place sends the key, the idempotency key and the order, and distinguishes a replay from a first response", async () => {
  let replayed = false;
  const server = await startAnswering((request, response) => {
    const headers = replayed ? { "idempotent-replayed": "true" } : {};
    json({ order: PLACED }, { status: 202, headers })(request, response);
  });
  const place = () =>
    server.client().orders.place({ lines: LINES, reference: "r" }, { idempotencyKey: "a key" });
  const placed = { order: PLACED, replayed: false, idempotencyKey: "a key" };
  assert.deepEqual(await place(), placed);
  replayed = true;
  assert.deepEqual(await place(), { ...placed, replayed: true });
  await server.close();
  const [heard] = server.heard;
  assert.deepEqual([heard?.method, heard?.url], ["POST", "/v1/orders"]);
  assert.equal(heard?.headers["x-api-key"], API_KEY);
  assert.equal(heard?.headers["idempotency-key"], "a key");
  assert.equal(heard?.headers["content-type"], "application/json");
  assert.deepEqual(JSON.parse(heard?.body ?? ""), { lines: LINES, reference: "r" });
});

test("get, list and codes call the right endpoints and return their responses", async () => {
  const page = { data: [order()], hasMore: true, nextCursor: "next" };
  const delivered = codes({ code: "ABCD", pin: "1" });
  const server = await startAnswering((request, response) => {
    const path = request.url ?? "";
    const body = path.endsWith("/codes") ? delivered : path.includes("?") ? page : { order: order() };
    json(body)(request, response);
  });
  const { orders } = server.client();
  assert.deepEqual(await orders.get("ord_1"), order());
  assert.deepEqual(await orders.list({ idempotencyKey: "a&b=c d", limit: 2, status: "failed" }), page);
  assert.deepEqual(await orders.codes("../x/?y"), delivered);
  await server.close();
  assert.deepEqual(
    server.heard.map(({ url }) => url),
    [
      "/v1/orders/ord_1",
      "/v1/orders?idempotencyKey=a%26b%3Dc+d&limit=2&status=failed",
      "/v1/orders/..%2Fx%2F%3Fy/codes",
    ],
  );
});

test("webhook calls send their input unchanged, and no body without input", async () => {
  const server = await startAnswering(problem(400, "invalid_request"));
  const { webhooks, deliveries } = server.client();
  const url = "https://shop.example/hook";
  const calls = [
    webhooks.register({ url, events: ["order.fulfilled"] }),
    webhooks.update("whk_1", { active: false }),
    webhooks.rotate("whk_1", { gracePeriodSeconds: 0 }),
    webhooks.recover("whk_1", { since: "2030-01-01T00:00:00Z" }),
    webhooks.rotate("whk_1"),
    webhooks.test("whk_1"),
    deliveries.redeliver("dlv_1"),
    webhooks.remove("whk_1"),
  ];
  await Promise.all(calls.map((call) => assert.rejects(call, { code: "invalid_request" })));
  await server.close();
  const sent = new Map(
    server.heard.map(({ method, url: path, headers, body }) => [
      `${method} ${path} ${body}`,
      headers["content-type"],
    ]),
  );
  assert.deepEqual(Object.fromEntries(sent), {
    [`POST /v1/webhooks {"url":"${url}","events":["order.fulfilled"]}`]: "application/json",
    'PATCH /v1/webhooks/whk_1 {"active":false}': "application/json",
    'POST /v1/webhooks/whk_1/rotate {"gracePeriodSeconds":0}': "application/json",
    'POST /v1/webhooks/whk_1/recover {"since":"2030-01-01T00:00:00Z"}': "application/json",
    "POST /v1/webhooks/whk_1/rotate ": undefined,
    "POST /v1/webhooks/whk_1/test ": undefined,
    "POST /v1/deliveries/dlv_1/redeliver ": undefined,
    "DELETE /v1/webhooks/whk_1 ": undefined,
  });
});

test("the client verifies deliveries too", async () => {
  const { webhooks } = createClient({ baseUrl: "https://api.example", apiKey: API_KEY });
  const event = { id: "evt_1", type: "webhook.test", created_at: "2030-01-01T00:00:00.000Z" };
  const body = JSON.stringify({ ...event, data: { webhook_id: "whk_1" } });
  const headers = { "service-signature": await signWebhook(body, "whsec_x") };
  assert.equal((await webhooks.verify(body, headers, "whsec_x")).id, "evt_1");
  await assert.rejects(webhooks.verify(body, headers, "whsec_y"), { reason: "no_matching_signature" });
});

test("a time can be a Date, an invalid one is refused, and undefined filters are not sent", async () => {
  const server = await startAnswering(json({ data: [], hasMore: false, nextCursor: "" }));
  const { orders } = server.client();
  await orders.list({ createdFrom: new Date(0), createdTo: "2030-01-01T00:00:00Z", status: undefined });
  await assert.rejects(orders.list({ createdFrom: new Date(Number.NaN) }), RangeError);
  await server.close();
  assert.deepEqual(
    server.heard.map(({ url }) => url),
    ["/v1/orders?createdFrom=1970-01-01T00%3A00%3A00.000Z&createdTo=2030-01-01T00%3A00%3A00Z"],
  );
});

test("unknown members are passed through", async () => {
  const server = await startAnswering(json({ order: order({ note: "new" }), also: 1 }));
  assert.equal(((await server.client().orders.get("ord_1")) as { note?: string }).note, "new");
  await server.close();
});

test("the base URL can have a path and a trailing slash", async () => {
  const server = await startAnswering(json({ order: order() }));
  for (const path of ["", "/", "/shop/api", "/shop/api//"]) {
    await server.client({ baseUrl: server.url + path }).orders.get("ord_1");
  }
  await server.close();
  assert.deepEqual(
    server.heard.map(({ url }) => url),
    ["/v1/orders/ord_1", "/v1/orders/ord_1", "/shop/api/v1/orders/ord_1", "/shop/api/v1/orders/ord_1"],
  );
});

test("invalid settings are refused, and none of them is quoted", () => {
  const secret = "hunter2";
  const faulty = [
    { baseUrl: `ftp://${secret}.example` },
    { baseUrl: `https://user:${secret}@api.example` },
    { baseUrl: `https://api.example/?${secret}` },
    { baseUrl: `https://api.example/#${secret}` },
    { baseUrl: "https://api.example/?" },
    { baseUrl: secret },
    { apiKey: secret },
    { apiKey: `sc_live_${secret}\r\nx: y` },
    { apiKey: `sc_live_${secret} ` },
    { apiKey: "" },
    { timeoutMs: 0 },
    { timeoutMs: 2 ** 31 },
    { timeoutMs: 1.5 },
    { maxResponseBytes: 0 },
    { retries: -1 },
    { retries: 0.5 },
    { retries: 11 },
  ];
  for (const change of faulty) {
    const settings = { baseUrl: "https://api.example", apiKey: API_KEY, ...change };
    assert.throws(
      () => createClient(settings),
      (error) => error instanceof RangeError && !error.message.includes(secret),
      JSON.stringify(change),
    );
  }
});

test("an idempotency key that would change in transit, and an id that leads elsewhere, are not sent", async () => {
  const server = await startAnswering(json({}));
  const { orders } = server.client();
  for (const idempotencyKey of ["", " a", "a ", "a\nb", "ü", "k".repeat(256)]) {
    await assert.rejects(orders.place({ lines: LINES }, { idempotencyKey }), RangeError);
  }
  for (const id of ["", ".", ".."]) {
    await assert.rejects(orders.get(id), RangeError);
    await assert.rejects(orders.codes(id), RangeError);
  }
  await server.close();
  assert.deepEqual(server.heard, []);
});
