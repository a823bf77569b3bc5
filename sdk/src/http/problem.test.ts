import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { test } from "node:test";
import { format, inspect } from "node:util";
import { createClient } from "../client.ts";
import { ScripError } from "../errors.ts";
import { API_KEY, answeredBy, json, order, problem } from "../testing/answering-server.ts";

const failure = (answer: RequestListener): Promise<ScripError> =>
  answeredBy(answer, async (server) => {
    const error = await server
      .client()
      .orders.get("ord_1")
      .catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ScripError, inspect(error));
    return error;
  });

test("an error of the API has its code, status, request id, fields, members and delay", async () => {
  const errors = [{ pointer: "/lines/0", code: "x", detail: "y" }];
  const more = { errors, orderStatus: "processing" };
  const error = await failure(problem(409, "order_not_fulfilled", more, { "retry-after": "7" }));
  assert.deepEqual(
    { ...error },
    {
      name: "ScripError",
      code: "order_not_fulfilled",
      status: 409,
      requestId: "req_1",
      errors,
      members: { orderStatus: "processing" },
      retryAfterMs: 7000,
      idempotencyKey: undefined,
    },
  );
  assert.equal(error.message, "What happened.");
});

test("an unknown code is passed through", async () => {
  const error = await failure(problem(418, "new_code"));
  assert.deepEqual([error.code, error.status], ["new_code", 418]);
});

test("a delay can be a date, and an invalid one is ignored", async () => {
  const at = new Date(Date.now() + 3_600_000).toUTCString();
  const later = await failure(problem(503, "service_unavailable", {}, { "retry-after": at }));
  assert.ok((later.retryAfterMs ?? 0) > 3_500_000 && (later.retryAfterMs ?? 0) <= 3_600_000);
  const past = await failure(
    problem(503, "service_unavailable", {}, { "retry-after": new Date(0).toUTCString() }),
  );
  assert.equal(past.retryAfterMs, 0);
  const never = await failure(problem(503, "service_unavailable", {}, { "retry-after": "soon" }));
  assert.equal(never.retryAfterMs, undefined);
});

const PROBLEM = "application/problem+json";
const BODY = { status: 402, code: "insufficient_funds", detail: "d", request_id: "req_1" };

const NOT_OURS: Record<string, [RequestListener, number]> = {
  "a page of a proxy": [json("<html>Bad gateway</html>", { status: 502, type: "text/html" }), 502],
  "a problem sent as plain JSON": [json(BODY, { status: 402, type: "application/json" }), 402],
  "a problem sent as text": [json(BODY, { status: 402, type: "text/html" }), 402],
  "a problem of another status": [json(BODY, { status: 403, type: PROBLEM }), 403],
  "a problem with a status in text": [json({ ...BODY, status: "402" }, { status: 402, type: PROBLEM }), 402],
  "a problem without a code": [json({ ...BODY, code: undefined }, { status: 402, type: PROBLEM }), 402],
  "a problem with a strange code": [json({ ...BODY, code: "No Funds" }, { status: 402, type: PROBLEM }), 402],
  "a problem without a detail": [json({ ...BODY, detail: 1 }, { status: 402, type: PROBLEM }), 402],
  "half a problem": [json(JSON.stringify(BODY).slice(0, 20), { status: 402, type: PROBLEM }), 402],
  "a list": [json([BODY], { status: 402, type: PROBLEM }), 402],
  "nothing at all": [json("", { status: 402, type: PROBLEM }), 402],
  "a problem so deep that it cannot be copied": [
    json(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, { status: 402, type: PROBLEM }),
    402,
  ],
  "a success of another status": [json({ order: order() }, { status: 201 }), 201],
  "a problem with the status of a success": [
    json({ ...BODY, status: 206 }, { status: 206, type: PROBLEM }),
    206,
  ],
};

for (const [what, [answer, status]] of Object.entries(NOT_OURS)) {
  test(`${what} is an invalid response with its status`, async () => {
    const error = await failure(answer);
    assert.deepEqual([error.code, error.status], ["invalid_response", status]);
    assert.doesNotMatch(inspect(error), /gateway|insufficient/);
  });
}

test("no error contains the API key, even if the server quotes it", async () => {
  const escaped = API_KEY.replace("s", "\\u0073");
  const quoted = `{"status":401,"code":"unauthenticated","detail":"${API_KEY} ${escaped}","request_id":"${API_KEY}",
    "errors":[{"pointer":"${API_KEY}","code":"x","detail":"${escaped}"}],"${API_KEY}":{"deep":["${escaped}"]}}`;
  const errors = [
    await failure(json(quoted, { status: 401, type: PROBLEM, headers: { "x-request-id": API_KEY } })),
    await failure(json(API_KEY, { status: 500, type: "text/plain", headers: { "x-request-id": API_KEY } })),
    await failure(json(API_KEY)),
    await failure(json({ order: { id: API_KEY, [API_KEY]: 1 } })),
  ];
  assert.match(errors[0]?.message ?? "", /^\[redacted\] \[redacted\]$/);
  for (const error of errors) {
    const printed = [
      inspect(error, { depth: null, showHidden: true }),
      format("%s %o %j", error, error, error),
      JSON.stringify(error),
      String(error.stack),
      String(error),
    ];
    assert.equal(printed.join().includes(API_KEY.slice(8)), false, printed.join("\n"));
  }
});

test("the client itself shows no key", () => {
  const client = createClient({ baseUrl: "https://api.example", apiKey: API_KEY });
  const printed = [
    inspect(client, { depth: null, showHidden: true }),
    JSON.stringify(client),
    String(client),
  ];
  assert.equal(printed.join().includes(API_KEY), false);
});
