import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import { setListing } from "../catalog/set-listing.ts";
import { SCOPES, type Scope, type Tenant } from "../http/caller.ts";
import {
  type ApiRoute,
  apiRoutes,
  SEEN_DELIVERY,
  SEEN_EVENT,
  SEEN_ORDER,
  SEEN_PRODUCT,
  SEEN_WEBHOOK,
  UNSEEN_DELIVERIES,
  UNSEEN_EVENTS,
  UNSEEN_ORDERS,
  UNSEEN_PRODUCTS,
  UNSEEN_WEBHOOKS,
  WALKED_AT_MS,
} from "../testing/api-routes.ts";
import { addOrder, addProducts } from "../testing/builders.ts";
import { type CallOptions, createTestApp, type TestApp } from "../testing/test-app.ts";
import { addDelivery, addEndpoint, addEvent } from "../testing/webhook-builders.ts";
import { generateKey } from "./key-format.ts";
import { revokeKey } from "./revoke-key.ts";

const clock = { nowMs: WALKED_AT_MS, now: () => new Date(clock.nowMs) };
const EXPIRES_MS = clock.nowMs + 60_000;

let scrip: TestApp;
let resellerId: string;
let key: string;
let routes: ApiRoute[];
let guarded: (ApiRoute & { scope: Scope })[];

before(async () => {
  scrip = await createTestApp({ clock });
  resellerId = (await scrip.addReseller()).id;
  key = (await scrip.addKey(resellerId)).key;
  await addProducts(scrip.db, [
    { id: SEEN_PRODUCT },
    { id: UNSEEN_PRODUCTS.hidden, hidden: true },
    { id: UNSEEN_PRODUCTS.inactive, active: false },
    { id: UNSEEN_PRODUCTS.unlisted },
  ]);
  await setListing(scrip.db, { resellerId, productId: UNSEEN_PRODUCTS.unlisted, listed: false });
  const stranger = await scrip.addReseller();
  await addOrder(scrip.db, { id: SEEN_ORDER, resellerId, environment: "live" });
  await addOrder(scrip.db, {
    id: UNSEEN_ORDERS.anotherResellers,
    resellerId: stranger.id,
    environment: "live",
  });
  await addWebhooks({ resellerId, environment: "live" }, { resellerId: stranger.id, environment: "live" });
  routes = apiRoutes(scrip.app.openApi());
  guarded = routes.filter((route): route is ApiRoute & { scope: Scope } => route.scope !== undefined);
});

after(() => scrip.close());

/** An endpoint, an event and a delivery of each of the two, and a delivery to an endpoint that the first one removed. */
async function addWebhooks(own: Tenant, strangers: Tenant): Promise<void> {
  const { db } = scrip;
  await addEndpoint(db, { ...own, id: SEEN_WEBHOOK });
  await addEndpoint(db, { ...own, id: UNSEEN_WEBHOOKS.removed, deleted: true });
  await addEndpoint(db, { ...strangers, id: UNSEEN_WEBHOOKS.anotherResellers });
  await addEvent(db, { ...own, id: SEEN_EVENT });
  await addEvent(db, { ...strangers, id: UNSEEN_EVENTS.anotherResellers });
  const deliveries = [
    [SEEN_DELIVERY, SEEN_EVENT, SEEN_WEBHOOK],
    [UNSEEN_DELIVERIES.ofRemovedWebhook, SEEN_EVENT, UNSEEN_WEBHOOKS.removed],
    [UNSEEN_DELIVERIES.anotherResellers, UNSEEN_EVENTS.anotherResellers, UNSEEN_WEBHOOKS.anotherResellers],
  ] as const;
  for (const [id, eventId, endpointId] of deliveries) await addDelivery(db, { id, eventId, endpointId });
}

test("the walk has routes to walk", () => {
  const names = routes.map(({ method, path }) => `${method} ${path}`);
  for (const name of ["GET /v1/catalog", "HEAD /v1/catalog", "GET /v1/products/{id}"])
    assert.ok(names.includes(name));
});

test("a valid key with the route's scope and no other passes the guard of every route", async () => {
  for (const { method, url, scope } of guarded) {
    const only = (await scrip.addKey(resellerId, { scopes: [scope] })).key;
    assert.equal(isRefused(await scrip.call(method, url, { key: only })), false, `${method} ${url}`);
  }
});

test("every way of having no valid key is 401 on every route, with one body and one set of headers for all", async () => {
  const revoked = await scrip.addKey(resellerId);
  await revokeKey(scrip.db, clock, revoked.id);
  const expired = (await scrip.addKey(resellerId, { expiresAt: new Date(clock.nowMs - 1) })).key;
  const other = (await scrip.addKey(resellerId)).key;
  const broken = key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");
  const attempts: Record<string, CallOptions> = {
    "no key": {},
    "an empty key": { key: "" },
    junk: { key: "junk" },
    "a key with a broken checksum": { key: broken },
    "a well-formed key that nobody has": { key: generateKey("live") },
    "the live key with a test prefix": { key: key.replace("sc_live_", "sc_test_") },
    "a revoked key": { key: revoked.key },
    "an expired key": { key: expired },
    "two different keys": { key, headers: { authorization: `Bearer ${other}` } },
    "a valid key and an unknown one": { key, headers: { authorization: `Bearer ${generateKey("live")}` } },
    "the key twice in one header": { key: `${key}, ${key}` },
    "no scheme": { headers: { authorization: key } },
    "another scheme": { headers: { authorization: `Basic ${key}` } },
    "a scheme without a key": { headers: { authorization: "Bearer" } },
    "a key and more": { headers: { authorization: `Bearer ${key} ${key}` } },
    "the key in a cookie": { headers: { cookie: `x-api-key=${key}` } },
  };
  const answers = new Set<string>();
  for (const { method, url } of guarded) {
    for (const [name, options] of Object.entries(attempts)) {
      const reply = await scrip.call(method, url, options);
      assert.equal(reply.statusCode, 401, `${name}: ${method} ${url}`);
      assert.equal(reply.headers["www-authenticate"], 'Bearer realm="scrip"');
      if (method !== "HEAD") answers.add(withoutRequestId(reply));
    }
    assert.equal(
      (await scrip.call(method, `${url}?api_key=${key}`)).statusCode,
      401,
      "the key in the address",
    );
  }
  assert.equal(answers.size, 1, [...answers].join("\n"));
});

test("a key is accepted in either header, in both when they agree, with the scheme in any case", async () => {
  const accepted: CallOptions[] = [
    { key },
    { key: ` ${key} ` },
    { headers: { authorization: `Bearer ${key}` } },
    { headers: { authorization: `bearer ${key}` } },
    { headers: { authorization: `BEARER   ${key} ` } },
    { key, headers: { authorization: `Bearer ${key}` } },
    { headers: { "X-API-KEY": key } },
  ];
  for (const { method, url } of guarded) {
    for (const options of accepted) assert.equal(isRefused(await scrip.call(method, url, options)), false);
  }
});

test("a key is refused from the millisecond that it expires in", async () => {
  const expiring = (await scrip.addKey(resellerId, { expiresAt: new Date(EXPIRES_MS) })).key;
  const [startMs, status] = [
    clock.nowMs,
    async () => (await scrip.call("GET", "/v1/catalog", { key: expiring })).statusCode,
  ];
  assert.equal(await status(), 200);
  clock.nowMs = EXPIRES_MS - 1;
  assert.equal(await status(), 200);
  clock.nowMs = EXPIRES_MS;
  assert.equal(await status(), 401);
  clock.nowMs = startMs;
});

test("a key with every scope but the route's is 403 forbidden, and the detail names the scope", async () => {
  for (const { method, url, scope } of guarded) {
    const lacking = (await scrip.addKey(resellerId, { scopes: SCOPES.filter((other) => other !== scope) }))
      .key;
    const reply = await scrip.call(method, url, { key: lacking });
    assert.equal(reply.statusCode, 403, `${method} ${url}`);
    if (method === "HEAD") continue;
    assert.equal(reply.json().code, "forbidden");
    assert.ok(reply.json().detail.includes(scope), reply.json().detail);
  }
});

test("a key from an address outside its allowlist is 403 ip_not_allowed on every route", async () => {
  const locked = (await scrip.addKey(resellerId, { allowedIps: ["203.0.113.0/24"] })).key;
  for (const { method, url } of guarded) {
    const refused = await scrip.call(method, url, { key: locked, remoteAddress: "198.51.100.1" });
    assert.equal(refused.statusCode, 403);
    if (method !== "HEAD") assert.equal(refused.json().code, "ip_not_allowed");
    assert.equal(
      isRefused(await scrip.call(method, url, { key: locked, remoteAddress: "203.0.113.9" })),
      false,
    );
  }
});

test("what the reseller may not see and what does not exist are the same 404, with every key of the reseller", async () => {
  const keys = [key, (await scrip.addKey(resellerId, { env: "test" })).key];
  for (const { method, path, unseenUrls, body } of guarded.filter((route) => route.unseenUrls.length > 0)) {
    const missing = path.replace(/\{\w+\}/, "no-such-object");
    const longer = path.replace(/\{\w+\}/, "x".repeat(2_000));
    const answers = new Set<string>();
    for (const url of [missing, longer, ...unseenUrls]) {
      for (const each of keys) {
        const reply = await scrip.call(method, url, { key: each, body });
        assert.equal(reply.statusCode, 404, `${method} ${url}`);
        answers.add(withoutRequestId(reply));
      }
    }
    assert.equal(answers.size, 1, [...answers].join("\n"));
  }
});

const isRefused = (reply: LightMyRequestResponse): boolean => [401, 403, 429].includes(reply.statusCode);

/** Status, headers and body, all of it but the id and the time. */
function withoutRequestId(reply: LightMyRequestResponse): string {
  const { "x-request-id": requestId, date: _date, ...headers } = reply.headers;
  return `${reply.statusCode} ${JSON.stringify(headers)} ${reply.body.replace(String(requestId), "REQ")}`;
}
