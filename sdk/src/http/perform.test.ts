import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { test } from "node:test";
import { type Client, createClient } from "../client.ts";
import { ScripError } from "../errors.ts";
import {
  type AnsweringServer,
  API_KEY,
  answeredBy,
  cut,
  inTurn,
  json,
  order,
  problem,
  proxyPage,
} from "../testing/answering-server.ts";
import { type HandTiming, handTiming } from "../testing/hand-timing.ts";

const SHORT_MS = 150;
const FOUND = json({ order: order() });
const BUSY = problem(503, "service_unavailable");
const HANG: RequestListener = () => {};

/** The result of one read, the number of requests and the pauses. */
async function read(
  answer: RequestListener,
  options: Parameters<AnsweringServer["client"]>[0] = {},
  timing: HandTiming = handTiming(),
) {
  return answeredBy(answer, async ({ client, heard }) => {
    const outcome = await client({ retries: 2, timing, ...options })
      .orders.get("ord_1")
      .catch((error: ScripError) => error);
    const told = outcome instanceof ScripError ? outcome.code : "read";
    return { told, outcome, tries: heard.length, waited: timing.waited };
  });
}

const PASSING: Record<string, RequestListener> = {
  "429": problem(429, "rate_limited"),
  "503": BUSY,
  "500": problem(500, "internal_error"),
  "a code of tomorrow with 503": problem(503, "being_moved"),
  "429 of something in between": proxyPage(429),
  "502 of something in between": proxyPage(502),
  "503 of something in between": proxyPage(503),
  "504 of something in between": proxyPage(504),
  "520 of something in between": proxyPage(520),
  "409 idempotency_in_progress": problem(409, "idempotency_in_progress"),
  "a connection that ends without an answer": cut,
};

for (const [what, answer] of Object.entries(PASSING)) {
  test(`a read is retried after ${what}`, async () => {
    const { told, tries } = await read(inTurn(answer, FOUND));
    assert.deepEqual([told, tries], ["read", 2]);
  });
}

const LASTING: Record<string, RequestListener> = {
  "400": problem(400, "invalid_request"),
  "401": problem(401, "unauthenticated"),
  "402": problem(402, "insufficient_funds"),
  "404": problem(404, "not_found"),
  "409": problem(409, "idempotency_conflict"),
  "422 of tomorrow": problem(422, "out_of_luck"),
  "501": problem(501, "not_implemented"),
  "a redirect": json("", { status: 302, headers: { location: "/" } }),
  "an answer that is not as promised": json({ order: {} }),
};

for (const [what, answer] of Object.entries(LASTING)) {
  test(`nothing is retried after ${what}`, async () => {
    const { outcome, tries } = await read(inTurn(answer, FOUND));
    assert.ok(outcome instanceof ScripError && !outcome.isRetryable);
    assert.equal(tries, 1);
  });
}

test("a try that times out is retried", async () => {
  let tries = 0;
  const fetch = async () => {
    tries += 1;
    return tries === 1 ? new Promise<Response>(() => {}) : Response.json({ order: order() });
  };
  const baseUrl = "http://api.example";
  const client = createClient({ baseUrl, apiKey: API_KEY, timeoutMs: SHORT_MS, timing: handTiming(), fetch });
  assert.equal((await client.orders.get("ord_1")).id, "ord_1");
  assert.equal(tries, 2);
});

test("by default there are two retries, then the last error is thrown", async () => {
  const answer = inTurn(cut, BUSY, problem(500, "internal_error"));
  const { outcome, tries } = await answeredBy(answer, async ({ client, heard }) => {
    const error = await client({ retries: undefined, timing: handTiming() })
      .orders.get("ord_1")
      .catch((it: ScripError) => it);
    return { outcome: error as ScripError, tries: heard.length };
  });
  assert.deepEqual([outcome.code, outcome.isRetryable, tries], ["internal_error", true, 3]);
});

test("a call can override the client's retries and timeout", async () => {
  await answeredBy(BUSY, async ({ client, heard }) => {
    const { orders } = client({ retries: 2, timing: handTiming() });
    await assert.rejects(orders.get("ord_1", { retries: 0 }), { code: "service_unavailable" });
    assert.equal(heard.length, 1);
    await assert.rejects(orders.get("ord_1", { retries: 4 }), { code: "service_unavailable" });
    assert.equal(heard.length, 6);
    for (const options of [{ retries: -1 }, { retries: 11 }, { timeoutMs: 0 }]) {
      await assert.rejects(orders.get("ord_1", options), RangeError);
    }
    assert.equal(heard.length, 6);
  });
  await answeredBy(HANG, async ({ client }) => {
    const { orders } = client({ timeoutMs: 60_000 });
    await assert.rejects(orders.get("ord_1", { timeoutMs: SHORT_MS }), { code: "timeout" });
  });
});

test("pauses are between zero and a bound that doubles up to a limit", async () => {
  const patient = { retries: 6, timeoutMs: 60_000 };
  const { waited: shortest } = await read(BUSY, patient, handTiming({ chance: 0 }));
  assert.deepEqual(shortest, [0, 0, 0, 0, 0, 0]);
  const { waited: longest } = await read(BUSY, patient, handTiming({ chance: 1 }));
  assert.deepEqual(longest, [500, 1000, 2000, 4000, 8000, 8000]);
  const { waited: middling } = await read(BUSY, patient, handTiming({ chance: 0.25 }));
  assert.deepEqual(middling, [125, 250, 500, 1000, 2000, 2000]);
});

test("a pause is never shorter than Retry-After", async () => {
  const asked = problem(429, "rate_limited", {}, { "retry-after": "7" });
  const { waited } = await read(inTurn(asked, FOUND), {}, handTiming({ chance: 0 }));
  assert.deepEqual(waited, [7000]);
  const { waited: spread } = await read(inTurn(asked, FOUND), {}, handTiming({ chance: 0.5 }));
  assert.deepEqual(spread, [7250]);
});

test("a Retry-After that is too long fails at once", async () => {
  const long = problem(503, "service_unavailable", {}, { "retry-after": "31" });
  const { outcome, tries, waited } = await read(long, { timeoutMs: 60_000 });
  assert.equal((outcome as ScripError).retryAfterMs, 31_000);
  assert.deepEqual([tries, waited], [1, []]);
});

test("all tries and pauses together have the time limit of the tries, and no pause ends after it", async () => {
  const slow = problem(503, "service_unavailable", {}, { "retry-after": "2" });
  const { told, tries, waited } = await read(slow, { timeoutMs: 1000 });
  // Three seconds in all: a second pause of two would end after four.
  assert.deepEqual([told, tries, waited], ["service_unavailable", 2, [2000]]);
});

test("the last try has only the remaining time", async () => {
  const timing = handTiming({ onWait: () => timing.advance(119_900) });
  const { outcome } = await read(inTurn(cut, HANG), { retries: 1, timeoutMs: 60_000 }, timing);
  assert.match((outcome as ScripError).message, /within 100 ms/);
});

test("no try follows a pause that used up the remaining time", async () => {
  const timing = handTiming({ onWait: () => timing.advance(120_000) });
  const { told, tries } = await read(BUSY, { retries: 1, timeoutMs: 60_000 }, timing);
  assert.deepEqual([told, tries], ["service_unavailable", 1]);
});

test("aborting during a pause ends the call at once, also with a real pause", async () => {
  const controller = new AbortController();
  const long: RequestListener = (request, response) => {
    problem(503, "service_unavailable", {}, { "retry-after": "20" })(request, response);
    response.on("close", () => setImmediate(() => controller.abort()));
  };
  await answeredBy(inTurn(long, FOUND), async ({ client, heard }) => {
    const { orders } = client({ retries: 2 });
    const { signal } = controller;
    await assert.rejects(orders.get("ord_1", { signal }), { code: "aborted", status: 0 });
    assert.equal(heard.length, 1);
  });
  const amidPause = new AbortController();
  const timing = handTiming({ onWait: () => amidPause.abort() });
  await answeredBy(inTurn(BUSY, FOUND), async ({ client, heard }) => {
    const { orders } = client({ retries: 2, timing });
    await assert.rejects(orders.get("ord_1", { signal: amidPause.signal }), { code: "aborted" });
    assert.equal(heard.length, 1);
  });
});

const ONCE: Record<string, [status: number, reply: object, call: (client: Client) => Promise<unknown>]> = {
  register: [201, registered(), ({ webhooks }) => webhooks.register({ url: "https://shop.example" })],
  rotate: [
    200,
    { ...registered(), previousSecretExpiresAt: "x" },
    ({ webhooks }) => webhooks.rotate("whk_1"),
  ],
  test: [200, delivery(), ({ webhooks }) => webhooks.test("whk_1")],
  recover: [200, { recovered: 1, hasMore: false }, ({ webhooks }) => webhooks.recover("w", { since: "x" })],
  redeliver: [200, delivery(), ({ deliveries }) => deliveries.redeliver("dlv_1")],
};

for (const [name, [status, reply, call]] of Object.entries(ONCE)) {
  test(`${name} is not sent twice when the first try might have worked`, async () => {
    const told = [problem(500, "internal_error"), BUSY];
    const doubtful = [cut, ...told, ...[429, 502, 503, 504].map(proxyPage), HANG];
    for (const answer of doubtful) {
      await answeredBy(inTurn(answer, json(reply, { status })), async ({ client, heard }) => {
        const timeoutMs = answer === HANG ? SHORT_MS : 60_000;
        await assert.rejects(call(client({ retries: 2, timeoutMs, timing: handTiming() })), ScripError);
        assert.ok(heard.length <= 1);
      });
    }
  });

  test(`${name} is sent again when the API says that it has not started`, async () => {
    const limited = problem(429, "rate_limited");
    const busy = inTurn(limited, limited, json(reply, { status }));
    await answeredBy(busy, async ({ client, heard }) => {
      await call(client({ retries: 2, timing: handTiming() }));
      assert.equal(heard.length, 3);
    });
  });
}

test("a removal with a lost response succeeds, and an unknown endpoint is not found", async () => {
  const gone = problem(404, "not_found");
  const remove = async (answer: RequestListener) =>
    answeredBy(answer, ({ client }) =>
      client({ retries: 2, timing: handTiming() })
        .webhooks.remove("whk_1")
        .catch((error: ScripError) => error.code),
    );
  assert.equal(await remove(inTurn(cut, gone)), undefined);
  assert.equal(await remove(inTurn(problem(500, "internal_error"), gone)), undefined);
  assert.equal(await remove(inTurn(BUSY, gone)), undefined);
  assert.equal(await remove(gone), "not_found");
  // The API said that nothing had happened yet, so it was removed elsewhere or never existed.
  assert.equal(await remove(inTurn(problem(429, "rate_limited"), gone)), "not_found");
});

test("a scenario is sent with the call and its retries, and an invalid header value is refused", async () => {
  await answeredBy(inTurn(BUSY, FOUND), async ({ client, heard }) => {
    const { orders } = client({ retries: 2, timing: handTiming() });
    await orders.get("ord_1", { testScenario: "rate_limited" });
    await orders.get("ord_1");
    const scenarios = heard.map(({ headers }) => headers["x-test-scenario"]);
    assert.deepEqual(scenarios, ["rate_limited", "rate_limited", undefined]);
    for (const testScenario of ["", "a b", "a\r\nb: c", "ü"]) {
      await assert.rejects(orders.get("ord_1", { testScenario }), RangeError);
    }
    assert.equal(heard.length, 3);
  });
});

function registered(): object {
  const at = "2030-01-01T00:00:00.000Z";
  const webhook = { id: "whk_1", url: "https://shop.example", events: [], active: true };
  return { webhook: { ...webhook, createdAt: at, updatedAt: at }, secret: "whsec_x" };
}

function delivery(): object {
  const ids = { id: "dlv_1", eventId: "evt_1", eventType: "webhook.test", webhookId: "whk_1" };
  return {
    delivery: {
      ...ids,
      status: "pending",
      attemptCount: 0,
      attempts: [],
      createdAt: "2030-01-01T00:00:00.000Z",
    },
  };
}
