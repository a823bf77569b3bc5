import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { apiRoutes } from "../../testing/app/api-routes.ts";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addLoggedRequest } from "../../testing/builders/logged-requests.ts";
import { eventually } from "../../testing/eventually.ts";
import { createKey } from "../keys/create-key.ts";
import { revokeKey } from "../keys/revoke-key.ts";
import { firstIdAt, timeOfId } from "../lib/ids.ts";
import { findPlacement } from "./find-placement.ts";
import { scopeOfRequest } from "./scope-of-request.ts";

let scrip: TestApp;
let resellerId: string;
let key: string;
let keyId: string;
before(async () => {
  scrip = await createTestApp({ requestLog: { flushDelayMs: 1 } });
  ({ id: resellerId } = await scrip.addReseller());
  ({ id: keyId, key } = await scrip.addKey(resellerId, {
    scopes: ["requests:read", "orders:read", "orders:write"],
  }));
});
after(() => scrip.close());

type Page = { data: Record<string, unknown>[]; hasMore: boolean; nextCursor: string };
const list = async (query = "", by = key): Promise<Page> =>
  (await scrip.call("GET", `/v1/requests${query}`, { key: by })).json();

/** The request with this id, once it is written. */
async function logged(id: unknown): Promise<Record<string, unknown>> {
  return eventually("the request is in the log", async () => {
    const reply = await scrip.call("GET", `/v1/requests/${id}`, { key });
    return reply.statusCode === 200 ? reply.json().request : undefined;
  });
}

test("a request is in the log of its reseller, with its key, address and time", async () => {
  const reply = await scrip.call("GET", "/v1/orders?reference=secret-of-mine", {
    key,
    remoteAddress: "192.0.2.7",
  });
  const request = await logged(reply.headers["x-request-id"]);
  assert.deepEqual(
    { ...request, createdAt: "", durationMs: 0 },
    {
      id: reply.headers["x-request-id"],
      createdAt: "",
      method: "GET",
      path: "/v1/orders",
      status: 200,
      keyId,
      address: "192.0.2.7",
      durationMs: 0,
    },
  );
});

test("a request that failed keeps the body of its error", async () => {
  const reply = await scrip.call("POST", "/v1/orders", { key, body: { lines: "none" } });
  const request = await logged(reply.headers["x-request-id"]);
  assert.equal(request.status, 400);
  assert.equal(request.errorCode, "invalid_request");
  assert.deepEqual(request.error, reply.json());
});

test("a key sees the detail of an error only with the scope of the operation that failed", async () => {
  const body = JSON.stringify({
    ...{
      type: "https://api.scrip.example/errors/insufficient_funds",
      title: "Insufficient funds",
      status: 402,
      code: "insufficient_funds",
    },
    ...{
      detail: "The wallet holds 12.34 USD.",
      request_id: "req_1",
      errors: [{ pointer: "/", code: "x", detail: "12.34" }],
      available: 3,
    },
  });
  const failed = {
    method: "POST",
    path: "/v1/orders",
    status: 402,
    errorCode: "insufficient_funds",
    errorBody: body,
  };
  const id = await addLoggedRequest(scrip.db, { resellerId, environment: "live" }, failed);
  const read = async (scopes: string[]) => {
    const reader = await scrip.addKey(resellerId, { scopes });
    return (await scrip.call("GET", `/v1/requests/${id}`, { key: reader.key })).json().request;
  };
  for (const scopes of [["requests:read"], ["requests:read", "orders:read", "wallet:read"]]) {
    const hidden = await read(scopes);
    assert.deepEqual(Object.keys(hidden.error), ["type", "title", "status", "code", "detail", "request_id"]);
    assert.doesNotMatch(JSON.stringify(hidden), /12\.34/);
  }
  assert.deepEqual((await read(["requests:read", "orders:write"])).error, JSON.parse(body));
});

test("the scope of a logged request is that of its operation", () => {
  for (const { method, url, scope } of apiRoutes(scrip.app.openApi()))
    if (scope !== undefined) assert.equal(scopeOfRequest(method, url), scope, `${method} ${url}`);
});

test("a request that the key may not make is in the log too", async () => {
  const reply = await scrip.call("GET", "/v1/balance", { key });
  assert.equal(reply.statusCode, 403);
  assert.equal((await logged(reply.headers["x-request-id"])).errorCode, "forbidden");
});

test("a request with a revoked key is in the log of the key's reseller, with no more of it than is shown elsewhere", async () => {
  const old = await scrip.addKey(resellerId);
  await revokeKey(scrip.db, scrip.clock, old.id);
  const reply = await scrip.call("GET", "/v1/orders", { key: old.key });
  const request = await logged(reply.headers["x-request-id"]);
  assert.equal(request.status, 401);
  assert.equal(request.keyId, old.id);
  assert.equal(request.keyHint, `sc_live_…${old.key.slice(-4)}`);
  assert.ok(!JSON.stringify(request).includes(old.key.slice(8, 30)));
});

test("a key gets the scope only when it is asked for", async () => {
  const { db, clock, secrets } = scrip;
  const usual = await createKey(
    { db, clock, pepper: secrets.pepper },
    { resellerId, environment: "live", name: "", scopes: undefined, allowedIps: [], expiresAt: undefined },
  );
  assert.equal((await scrip.call("GET", "/v1/requests", { key: usual.key })).statusCode, 403);
});

test("filters choose by status, class of status, error code, key and time", async () => {
  const other = await scrip.addReseller();
  const tenant = { resellerId: other.id, environment: "live" as const };
  const reader = await scrip.addKey(other.id, { scopes: ["requests:read"] });
  const fine = await addLoggedRequest(scrip.db, tenant);
  const missing = await addLoggedRequest(scrip.db, tenant, { status: 404, errorCode: "not_found" });
  const broken = await addLoggedRequest(scrip.db, tenant, {
    status: 500,
    errorCode: "internal_error",
    actor: { kind: "key", id: "key_2" },
  });
  const ids = async (query: string) =>
    (await list(query, reader.key)).data
      .map(({ id }) => id)
      .filter((id) => [fine, missing, broken].includes(String(id)));
  assert.deepEqual(await ids("?status=404"), [missing]);
  assert.deepEqual(await ids("?status=5xx"), [broken]);
  assert.deepEqual(await ids("?errorCode=not_found"), [missing]);
  assert.deepEqual(await ids("?keyId=key_2"), [broken]);
  assert.deepEqual(await ids("?createdTo=2020-01-01T00:00:00Z"), []);
  assert.deepEqual(await ids("?createdFrom=2020-01-01T00:00:00Z"), [broken, missing, fine]);
  const refused = await scrip.call("GET", "/v1/requests?status=40", { key: reader.key });
  assert.equal(refused.statusCode, 400);
});

test("pages follow each other without a gap or a repeat", async () => {
  const other = await scrip.addReseller();
  const tenant = { resellerId: other.id, environment: "live" as const };
  const reader = await scrip.addKey(other.id, { scopes: ["requests:read"] });
  const made: string[] = [];
  for (let count = 0; count < 5; count += 1)
    made.unshift(await addLoggedRequest(scrip.db, tenant, { actor: { kind: "key", id: "key_3" } }));
  const seen: unknown[] = [];
  for (let cursor = ""; ; ) {
    const page = await list(`?keyId=key_3&limit=2&cursor=${cursor}`, reader.key);
    seen.push(...page.data.map(({ id }) => id));
    if (!page.hasMore) break;
    cursor = page.nextCursor;
  }
  assert.deepEqual(seen, made);
});

test("another reseller's request is not found", async () => {
  const other = await scrip.addReseller();
  const id = await addLoggedRequest(scrip.db, { resellerId: other.id, environment: "live" });
  assert.equal((await scrip.call("GET", `/v1/requests/${id}`, { key })).statusCode, 404);
});

test("the request that placed an order is found when it is the only one that was answered at that moment", async () => {
  const other = await scrip.addReseller();
  const tenant = { resellerId: other.id, environment: "live" as const };
  const placedBy = { kind: "key", id: "key_4" } as const;
  const placement = { actor: placedBy, method: "POST", status: 202, durationMs: 20 };
  const id = await addLoggedRequest(scrip.db, tenant, placement);
  const startedMs = timeOfId(id);
  const at = (afterMs: number, by: Parameters<typeof findPlacement>[2]["placedBy"] = placedBy) =>
    findPlacement(scrip.db, tenant, { placedBy: by, createdAt: new Date(startedMs + afterMs) });
  assert.equal(await at(10), id);
  assert.equal(await at(-1), undefined);
  assert.equal(await at(30), undefined);
  assert.equal(await at(10, { kind: "key", id: "key_5" }), undefined);
  assert.equal(await at(10, { kind: "user", id: "key_4" }), undefined);
  assert.equal(
    await findPlacement(
      scrip.db,
      { ...tenant, environment: "test" },
      { placedBy, createdAt: new Date(startedMs) },
    ),
    undefined,
  );
  await addLoggedRequest(scrip.db, tenant, { ...placement, status: 409 });
  assert.equal(await at(10), id);
  await addLoggedRequest(scrip.db, tenant, { ...placement, id: firstIdAt("req", startedMs) });
  assert.equal(await at(10), undefined);
});
