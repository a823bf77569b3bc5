import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import { type ApiRoute, apiRoutes, SEEN_PRODUCT } from "../../testing/app/api-routes.ts";
import { type CallOptions, createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addProducts } from "../../testing/builders/builders.ts";
import { isWide } from "../../testing/full-size.ts";
import { generateKey } from "./key-format.ts";
import { revokeKey } from "./revoke-key.ts";

const clock = { nowMs: Date.UTC(2026, 0, 1), now: () => new Date(clock.nowMs) };
const EXPIRES_MS = clock.nowMs + 60_000;

let scrip: TestApp;
let resellerId: string;
let key: string;
let guarded: ApiRoute[];

before(async () => {
  scrip = await createTestApp({ clock });
  resellerId = (await scrip.addReseller()).id;
  key = (await scrip.addKey(resellerId)).key;
  await addProducts(scrip.db, [{ id: SEEN_PRODUCT }]);
  guarded = apiRoutes(scrip.app.openApi()).filter((route) => route.scope !== undefined);
  assert.ok(guarded.length > 0);
});

after(() => scrip.close());

test("a 401 says what is wrong with the headers alone, and nothing about a key that is well formed", async () => {
  const revoked = await scrip.addKey(resellerId);
  await revokeKey(scrip.db, clock, revoked.id);
  const expired = (await scrip.addKey(resellerId, { expiresAt: new Date(clock.nowMs - 1) })).key;
  const other = (await scrip.addKey(resellerId)).key;
  const broken = key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");
  const attempts: Record<string, Record<string, CallOptions>> = {
    missing: { "no key": {}, "the key in a cookie": { headers: { cookie: `x-api-key=${key}` } } },
    malformed: {
      "an empty key": { key: "" },
      junk: { key: "junk" },
      "a key with a broken checksum": { key: broken },
      "the live key with a test prefix": { key: key.replace("sc_live_", "sc_test_") },
      "the key twice in one header": { key: `${key}, ${key}` },
      "no scheme": { headers: { authorization: key } },
      "another scheme": { headers: { authorization: `Basic ${key}` } },
      "a scheme without a key": { headers: { authorization: "Bearer" } },
      "a key with trailing text": { headers: { authorization: `Bearer ${key} ${key}` } },
    },
    two: {
      "two different keys": { key, headers: { authorization: `Bearer ${other}` } },
      "a valid key and an unknown one": { key, headers: { authorization: `Bearer ${generateKey("live")}` } },
    },
    invalid: {
      "a well-formed unknown key": { key: generateKey("live") },
      "a revoked key": { key: revoked.key },
      "an expired key": { key: expired },
    },
  };
  const details = new Set<string>();
  const withoutDetail = new Set<string>();
  for (const [kind, ways] of Object.entries(attempts)) {
    const answers = new Set<string>();
    for (const { method, url } of guarded) {
      for (const [name, options] of Object.entries(ways)) {
        const reply = await scrip.call(method, url, options);
        assert.equal(reply.statusCode, 401, `${name}: ${method} ${url}`);
        assert.equal(reply.headers["www-authenticate"], 'Bearer realm="scrip"');
        if (method === "HEAD") continue;
        answers.add(withoutRequestId(reply));
        const { detail, request_id: _, ...rest } = reply.json();
        details.add(detail);
        withoutDetail.add(JSON.stringify(rest));
      }
      assert.equal((await scrip.call(method, `${url}?api_key=${key}`)).statusCode, 401, "the key in the URL");
    }
    assert.equal(answers.size, 1, `${kind}: ${[...answers].join("\n")}`);
  }
  assert.equal(details.size, 4, [...details].join("\n"));
  assert.equal(withoutDetail.size, 1, "code, type and title are the same for all of them");
});

test("a key is accepted in either header, in both if they match, with the scheme in any letter case", async () => {
  const accepted: CallOptions[] = [
    { key },
    { key: ` ${key} ` },
    { headers: { authorization: `Bearer ${key}` } },
    { headers: { authorization: `bearer ${key}` } },
    { headers: { authorization: `BEARER   ${key} ` } },
    { key, headers: { authorization: `Bearer ${key}` } },
    { headers: { "X-API-KEY": key } },
  ];
  for (const [index, { method, url }] of guarded.entries()) {
    const tried = isWide()
      ? accepted
      : accepted.slice(index % accepted.length, (index % accepted.length) + 1);
    for (const options of tried) assert.equal(isRefused(await scrip.call(method, url, options)), false);
  }
  assert.ok(guarded.length > accepted.length, "each way to send a key was tried");
});

test("a key is refused from the millisecond it expires", async () => {
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

const isRefused = (reply: LightMyRequestResponse): boolean => [401, 403, 429].includes(reply.statusCode);

/** Status, headers and body, without the request id and the time. */
function withoutRequestId(reply: LightMyRequestResponse): string {
  const { "x-request-id": requestId, date: _date, ...headers } = reply.headers;
  return `${reply.statusCode} ${JSON.stringify(headers)} ${reply.body.replace(String(requestId), "REQ")}`;
}

test("a key does what its scopes allow and nothing else", async () => {
  const { key: wallet } = await scrip.addKey(resellerId, { scopes: ["wallet:read"] });
  const { key: orders } = await scrip.addKey(resellerId, { scopes: ["orders:read"] });
  const statuses = async (one: string) => {
    const paths = ["/v1/balance", "/v1/catalog", "/v1/orders", "/v1/webhooks"];
    return Promise.all(paths.map(async (path) => (await scrip.call("GET", path, { key: one })).statusCode));
  };
  assert.deepEqual(await statuses(wallet), [200, 403, 403, 403]);
  assert.deepEqual(await statuses(orders), [403, 403, 200, 403]);
});

test("revoking a revoked key keeps the time of the first revocation", async () => {
  const { id } = await scrip.addKey(resellerId);
  const first = await revokeKey(scrip.db, clock, id);
  clock.nowMs += 1_000;
  assert.deepEqual((await revokeKey(scrip.db, clock, id)).revokedAt, first.revokedAt);
});
