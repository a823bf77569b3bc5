import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ApiRoute, apiRoutes } from "../../testing/app/api-routes.ts";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { SCOPES } from "../http/caller.ts";
import { Problem } from "../lib/problem.ts";
import { findForcedAnswer, readScenario } from "./read-scenario.ts";
import { SCENARIO_NAMES } from "./scenarios.ts";

const SANDBOX = { environment: "test" } as const;
const LIVE = { environment: "live" } as const;
const read = (value: string | string[] | undefined, tenant: typeof SANDBOX | typeof LIVE = SANDBOX) =>
  readScenario(tenant, value === undefined ? {} : { "x-test-scenario": value });

/** The last three are how Node hands over a header that was sent twice. */
const WRONG: readonly (string | string[])[] = [
  "nonsense",
  "",
  "SUCCESS",
  "Success",
  "success ",
  "constructor",
  "__proto__",
  "toString",
  "null",
  "success;partial",
  "x".repeat(8_000),
  "success, success",
  ["success", "success"],
  ["partial", "stuck"],
];

test("every scenario is read as it is called, and none where there is none", () => {
  assert.equal(read(undefined), undefined);
  for (const name of SCENARIO_NAMES) assert.equal(read(name), name);
});

test("anything else is 400 invalid_test_scenario, which names all that are allowed and quotes nothing", () => {
  for (const value of WRONG) {
    assert.throws(
      () => read(value),
      (error) => {
        assert.ok(error instanceof Problem);
        assert.deepEqual([error.code, error.status], ["invalid_test_scenario", 400], String(value));
        const named = [...error.message.matchAll(/"(\w+)"/g)].map(([, name]) => name);
        assert.deepEqual(named, SCENARIO_NAMES);
        return true;
      },
    );
  }
});

test("a live key's header is ignored, whatever it says", () => {
  for (const value of [...SCENARIO_NAMES, ...WRONG]) {
    assert.equal(read(value, LIVE), undefined);
    assert.equal(findForcedAnswer(LIVE, { "x-test-scenario": value }), undefined);
  }
});

test("only the three errors of the service itself are answers to any request", () => {
  const forced = SCENARIO_NAMES.filter((name) => findForcedAnswer(SANDBOX, { "x-test-scenario": name }));
  assert.deepEqual(forced, ["rate_limited", "internal_error", "service_unavailable"]);
});

const FORCED = { rate_limited: 429, internal_error: 500, service_unavailable: 503 };
let scrip: TestApp;
let resellerId: string;
let keys: { live: string; test: string };
let guarded: ApiRoute[];

before(async () => {
  scrip = await createTestApp();
  resellerId = (await scrip.addReseller()).id;
  keys = {
    live: (await scrip.addKey(resellerId)).key,
    test: (await scrip.addKey(resellerId, { env: "test" })).key,
  };
  guarded = apiRoutes(scrip.app.openApi()).filter(({ scope }) => scope !== undefined);
});
after(() => scrip.close());

const asking = (scenario: string) => ({ "x-test-scenario": scenario });

test("with a test key every endpoint answers with the error that is asked for", async () => {
  for (const { method, url, body } of guarded) {
    for (const [code, status] of Object.entries(FORCED)) {
      const reply = await scrip.call(method, url, { key: keys.test, headers: asking(code), body });
      assert.equal(reply.statusCode, status, `${method} ${url} ${code}`);
      assert.equal(reply.headers["retry-after"], code === "internal_error" ? undefined : "1");
      if (method !== "HEAD") assert.equal(reply.json().code, code);
    }
    const unknown = await scrip.call(method, url, { key: keys.test, headers: asking("nonsense"), body });
    assert.equal(unknown.statusCode, 400, `${method} ${url}`);
    if (method !== "HEAD") assert.equal(unknown.json().code, "invalid_test_scenario");
  }
});

test("a forced error is not a fault of the service and is not logged as one", async () => {
  const key = { key: keys.test };
  for (const code of Object.keys(FORCED))
    await scrip.call("GET", "/v1/balance", { ...key, headers: asking(code) });
  assert.match(scrip.logged(), /"code":"internal_error"/);
  assert.doesNotMatch(scrip.logged(), /"level":"(warn|error|fatal)"/);
});

test("with a live key every endpoint answers as it does without the header", async () => {
  for (const { method, url, body } of guarded) {
    const call = { key: keys.live, body };
    const { statusCode } = await scrip.call(method, url, call);
    for (const scenario of [...SCENARIO_NAMES, "nonsense"]) {
      // What creates something would create it again each time.
      if (method !== "GET" && scenario !== "internal_error" && scenario !== "nonsense") continue;
      const reply = await scrip.call(method, url, { ...call, headers: asking(scenario) });
      assert.equal(reply.statusCode, statusCode, `${method} ${url} ${scenario}`);
    }
  }
});

test("key, address and scope come before the scenario, and body and parameters after it", async () => {
  const locked = (await scrip.addKey(resellerId, { env: "test", allowedIps: ["203.0.113.0/24"] })).key;
  for (const scenario of ["internal_error", "nonsense"]) {
    const headers = asking(scenario);
    for (const { method, url, scope } of guarded) {
      const scopes = SCOPES.filter((other) => other !== scope);
      const lacking = (await scrip.addKey(resellerId, { env: "test", scopes })).key;
      const refusals = [
        [401, await scrip.call(method, url, { headers })],
        [403, await scrip.call(method, url, { headers, key: locked, remoteAddress: "198.51.100.1" })],
        // Any key may ask what it is.
        ...(scope === "any"
          ? []
          : [[403, await scrip.call(method, url, { headers, key: lacking })] as const]),
      ] as const;
      for (const [status, reply] of refusals) assert.equal(reply.statusCode, status, `${method} ${url}`);
    }
    const expected = scenario === "nonsense" ? "invalid_test_scenario" : "internal_error";
    const faulty = { key: keys.test, headers: { ...headers, "content-type": "application/json" }, body: "{" };
    assert.equal((await scrip.call("POST", "/v1/orders", faulty)).json().code, expected);
    const query = await scrip.call("GET", "/v1/orders?limit=-1", { key: keys.test, headers });
    assert.equal(query.json().code, expected);
  }
});

test("the key's own rate limit comes before the scenario, and an answer that was asked for uses it up", async () => {
  const limited = await createTestApp({ rateLimits: { orders: 1, reads: 1 } });
  try {
    const { id } = await limited.addReseller();
    const { key } = await limited.addKey(id, { env: "test" });
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        limited.call("GET", "/v1/balance", { key, headers: asking("internal_error") }),
      ),
    );
    const codes = replies.map((reply) => reply.json().code);
    assert.equal(codes[0], "internal_error");
    assert.ok(codes.includes("rate_limited"), codes.join(" "));
  } finally {
    await limited.close();
  }
});
