import assert from "node:assert/strict";
import { after, before, mock, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import { apiRoutes, SEEN_PRODUCT } from "../../testing/app/api-routes.ts";
import { addEchoRoute, ECHO_URL } from "../../testing/app/echo-route.ts";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addProducts } from "../../testing/builders/builders.ts";
import { COMMAND } from "../../testing/people/people-desk.ts";
import { limitReseller } from "../resellers/limit-reseller.ts";
import { revokeKey } from "./revoke-key.ts";

/** The limiter's clock. It stands still unless a test moves it. */
const stopwatch = { nowMs: 5_000 };

let scrip: TestApp;
let resellerId: string;

before(async () => {
  scrip = await createTestApp({ rateLimits: { orders: 1, reads: 2, checks: 1 }, addRoutes: addEchoRoute });
  resellerId = (await scrip.addReseller()).id;
  await addProducts(scrip.db, [{ id: SEEN_PRODUCT }]);
  mock.method(performance, "now", () => stopwatch.nowMs);
});

after(async () => {
  mock.restoreAll();
  await scrip.close();
});

const newKey = async (changes?: Parameters<TestApp["addKey"]>[1]) =>
  (await scrip.addKey(resellerId, changes)).key;
const read = (key: string, url = "/v1/catalog") => scrip.call("GET", url, { key });
const place = (key: string, body: unknown = {}) => scrip.call("POST", ECHO_URL, { key, body });
const limitHeaders = ({ headers }: LightMyRequestResponse) => [
  headers["ratelimit-policy"],
  headers.ratelimit,
];

test("a key can send its burst and then its rate; after waiting for Retry-After of a 429 it can send again", async () => {
  const key = await newKey();
  const statuses: number[] = [];
  for (let sent = 0; sent < 6; sent += 1) statuses.push((await read(key)).statusCode);
  assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429]);
  const refused = await read(key);
  assert.equal(refused.json().code, "rate_limited");
  assert.equal(refused.headers["retry-after"], "1");
  stopwatch.nowMs += 1_000;
  assert.deepEqual(
    [(await read(key)).statusCode, (await read(key)).statusCode, (await read(key)).statusCode],
    [200, 200, 429],
  );
});

test("the rate_limited scenario has the headers of a real 429", async () => {
  const used = await newKey({ env: "test" });
  for (const [call, times] of [
    [(key: string, headers = {}) => scrip.call("GET", "/v1/catalog", { key, headers }), 4],
    [(key: string, headers = {}) => scrip.call("POST", ECHO_URL, { key, headers, body: {} }), 2],
  ] as const) {
    for (let sent = 0; sent < times; sent += 1) await call(used);
    const real = await call(used);
    const asked = await call(await newKey({ env: "test" }), { "x-test-scenario": "rate_limited" });
    assert.deepEqual([real.statusCode, asked.statusCode], [429, 429]);
    assert.deepEqual(limitHeaders(asked), limitHeaders(real));
    assert.equal(asked.headers["retry-after"], real.headers["retry-after"]);
    assert.equal(asked.json().detail, real.json().detail);
  }
});

test("every response of a route with a key has the policy and the remaining quota", async () => {
  const key = await newKey();
  const revoked = await scrip.addKey(resellerId);
  await revokeKey(scrip.db, scrip.clock, revoked.id);
  const policy = '"reads";q=4;w=2';
  const first = await read(key);
  assert.deepEqual(limitHeaders(first), [policy, '"reads";r=3;t=1']);
  const etag = String(first.headers.etag);
  const notModified = await scrip.call("GET", "/v1/catalog", { key, headers: { "if-none-match": etag } });
  assert.equal(notModified.statusCode, 304);
  assert.deepEqual(limitHeaders(notModified), [policy, '"reads";r=2;t=1']);
  const missing = await read(key, "/v1/products/missing");
  assert.equal(missing.statusCode, 404);
  assert.deepEqual(limitHeaders(missing), [policy, '"reads";r=1;t=2']);
  const invalid = await read(key, "/v1/catalog?limit=x");
  assert.equal(invalid.statusCode, 400);
  assert.deepEqual(limitHeaders(invalid), [policy, '"reads";r=0;t=2']);
  const limited = await read(key);
  assert.equal(limited.statusCode, 429);
  assert.deepEqual(limitHeaders(limited), [policy, '"reads";r=0;t=2']);
  for (const each of [undefined, "junk", revoked.key]) {
    const unknown = await scrip.call("GET", "/v1/catalog", each === undefined ? {} : { key: each });
    assert.equal(unknown.statusCode, 401);
    assert.deepEqual(limitHeaders(unknown), [policy, '"reads";r=4;t=0']);
  }
});

test("every route with a key has the headers, even if the key is refused", async () => {
  for (const { method, url, scope } of apiRoutes(scrip.app.openApi())) {
    if (scope === undefined) continue;
    for (const key of [undefined, await newKey(), await newKey({ allowedIps: ["192.0.2.1"] })]) {
      const reply = await scrip.call(method, url, key === undefined ? {} : { key });
      assert.match(
        String(reply.headers["ratelimit-policy"]),
        /^"(reads|orders|checks)";q=\d+;w=2$/,
        `${method} ${url}`,
      );
      assert.match(
        String(reply.headers.ratelimit),
        /^"(reads|orders|checks)";r=\d+;t=\d+$/,
        `${method} ${url}`,
      );
    }
  }
});

test("a request that is refused before the limit does not count against it", async () => {
  const noScope = await newKey({ scopes: ["wallet:read"] });
  const elsewhere = await newKey({ allowedIps: ["192.0.2.1"] });
  for (let sent = 0; sent < 10; sent += 1) {
    for (const key of [noScope, elsewhere]) {
      const reply = await read(key);
      assert.equal(reply.statusCode, 403);
      assert.deepEqual(limitHeaders(reply), ['"reads";q=4;w=2', '"reads";r=4;t=0']);
    }
  }
  const allowed = await scrip.call("GET", "/v1/catalog", { key: elsewhere, remoteAddress: "192.0.2.1" });
  assert.deepEqual(limitHeaders(allowed)[1], '"reads";r=3;t=1');
});

test("each key has its own limit, separate from other keys and from the sandbox", async () => {
  const used = await newKey();
  for (let sent = 0; sent < 5; sent += 1) await read(used);
  assert.equal((await read(used)).statusCode, 429);
  assert.equal((await read(await newKey())).statusCode, 200);
  assert.equal((await read(await newKey({ env: "test" }))).statusCode, 200);
});

test("placements are counted separately", async () => {
  const key = await newKey();
  assert.deepEqual(limitHeaders(await place(key)), ['"orders";q=2;w=2', '"orders";r=1;t=1']);
  await place(key);
  assert.equal((await place(key)).statusCode, 429);
  assert.deepEqual(limitHeaders(await read(key)), ['"reads";q=4;w=2', '"reads";r=3;t=1']);
  const reader = await newKey();
  for (let sent = 0; sent < 5; sent += 1) await read(reader);
  assert.equal((await read(reader)).statusCode, 429);
  assert.equal((await place(reader)).statusCode, 200);
});

test("a reseller's limits override the server's from the next request on; 0 turns them off, null restores the server's", async () => {
  const { id } = await scrip.addReseller();
  const { key } = await scrip.addKey(id);
  await limitReseller(scrip, id, { reads: 5 }, COMMAND);
  assert.deepEqual(limitHeaders(await read(key)), ['"reads";q=10;w=2', '"reads";r=9;t=1']);
  assert.deepEqual(limitHeaders(await place(key))[0], '"orders";q=2;w=2');
  await limitReseller(scrip, id, { reads: 0 }, COMMAND);
  for (let sent = 0; sent < 50; sent += 1) {
    const reply = await read(key);
    assert.equal(reply.statusCode, 200);
    assert.deepEqual(limitHeaders(reply), [undefined, undefined]);
  }
  await limitReseller(scrip, id, { reads: null, orders: 0 }, COMMAND);
  assert.deepEqual(limitHeaders(await read(key))[0], '"reads";q=4;w=2');
  for (let sent = 0; sent < 10; sent += 1) assert.equal((await place(key)).statusCode, 200);
});

test("checks run in the order of CONTRACT 1: key, address, scope, limit, parameters, object", async () => {
  const revoked = await scrip.addKey(resellerId);
  await revokeKey(scrip.db, scrip.clock, revoked.id);
  const exhausted = await newKey();
  for (let sent = 0; sent < 5; sent += 1) await read(exhausted);
  for (let sent = 0; sent < 3; sent += 1) await place(exhausted);
  const lockedWithoutScope = await newKey({ scopes: ["wallet:read"], allowedIps: ["192.0.2.1"] });
  const lockedRevoked = await scrip.addKey(resellerId, { allowedIps: ["192.0.2.1"] });
  await revokeKey(scrip.db, scrip.clock, lockedRevoked.id);
  const noScope = await newKey({ scopes: ["wallet:read"] });
  const codes = async (key: string) => [
    (await read(key, "/v1/catalog?limit=x&unknown=1")).json().code,
    (await read(key, "/v1/products/missing?unknown=1")).json().code,
    (
      await scrip.call("POST", ECHO_URL, { key, body: "{", headers: { "content-type": "application/json" } })
    ).json().code,
    (await scrip.call("POST", ECHO_URL, { key, body: "x", headers: { "content-type": "text/plain" } })).json()
      .code,
    (await place(key, { unknown: 1 })).json().code,
  ];
  const all = (code: string) => new Array(5).fill(code);
  assert.deepEqual(await codes(revoked.key), all("unauthenticated"));
  assert.deepEqual(await codes(lockedRevoked.key), all("unauthenticated"));
  assert.deepEqual(await codes(lockedWithoutScope), all("ip_not_allowed"));
  assert.deepEqual(await codes(noScope), all("forbidden"));
  assert.deepEqual(await codes(exhausted), all("rate_limited"));
  await limitReseller(scrip, resellerId, { orders: 0 }, COMMAND);
  assert.deepEqual(await codes(await newKey()), [
    "invalid_request",
    "invalid_request",
    "invalid_request",
    "unsupported_media_type",
    "invalid_request",
  ]);
});
