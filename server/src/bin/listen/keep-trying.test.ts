import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { ScripError } from "@scrip/sdk";
import { keepTrying } from "./keep-trying.ts";

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};
const gone = new ScripError("connection_failed", "The connection to the API failed.");
const page = new ScripError("invalid_response", "The API's response is not JSON.", { status: 404 });

function open() {
  const told: string[] = [];
  const stopping = new AbortController();
  const api = keepTrying({
    apiUrl: "http://api.test",
    tell: (line) => void told.push(line),
    signal: stopping.signal,
  });
  let asked = 0;
  /** Fails with each of them in turn, and then answers. */
  const ask = (...errors: Error[]) => {
    asked = 0;
    return api(async () => {
      const error = errors[asked];
      asked += 1;
      if (error) throw error;
      return "answer";
    });
  };
  const pass = async (ms: number) => {
    mock.timers.tick(ms);
    await settle();
  };
  return { told, stopping, ask, asked: () => asked, pass };
}

test("a temporary failure is retried with pauses of up to five seconds, and is reported once, as is its end", async () => {
  const { ask, asked, pass, told } = open();
  const result = ask(gone, gone, gone, gone, gone);
  await settle();
  for (const [index, pauseMs] of [1_000, 2_000, 4_000, 5_000, 5_000].entries()) {
    await pass(pauseMs - 1);
    assert.equal(asked(), index + 1);
    await pass(1);
    assert.equal(asked(), index + 2);
  }
  assert.equal(await result, "answer");
  assert.deepEqual(told, [
    "The API at http://api.test is not responding correctly (connection_failed); retrying.",
    "The API at http://api.test is back.",
  ]);
});

test("Retry-After is respected", async () => {
  const { ask, asked, pass } = open();
  const result = ask(new ScripError("rate_limited", "", { status: 429, retryAfterMs: 40_000 }));
  await settle();
  await pass(39_999);
  assert.equal(asked(), 1);
  await pass(1);
  assert.equal(await result, "answer");
});

const REFUSALS: [ScripError, string][] = [
  [
    new ScripError("unauthenticated", "No.", { status: 401, requestId: "req_1" }),
    "the API key is unknown, expired or revoked (401, unauthenticated, req_1)",
  ],
  [
    new ScripError("forbidden", "No.", { status: 403 }),
    "the API key needs the scope webhooks:manage to read events (403, forbidden)",
  ],
  [
    new ScripError("ip_not_allowed", "No.", { status: 403 }),
    "the API key does not allow this IP address (403, ip_not_allowed)",
  ],
];
for (const [error, message] of REFUSALS) {
  test(`${error.code} ends it, at first and later on`, async () => {
    const { ask, told } = open();
    await assert.rejects(ask(error), { message });
    await ask();
    await assert.rejects(ask(error), { message });
    assert.deepEqual(told, []);
  });
}

test("a wrong address ends it at first; once the API has responded, it waits", async () => {
  const { ask, pass } = open();
  const message = "no Scrip API at http://api.test: The API's response is not JSON. (404, invalid_response)";
  await assert.rejects(ask(page), { message });
  await ask();
  const result = ask(page);
  await settle();
  await pass(1_000);
  assert.equal(await result, "answer");
});

test("an error that does not come from the API is rethrown", async () => {
  const mistake = new Error("too many");
  await assert.rejects(open().ask(mistake), mistake);
});

test("when asked to stop, it stops waiting and sends no more requests", async () => {
  const { ask, asked, stopping } = open();
  const result = ask(gone);
  await settle();
  stopping.abort();
  assert.equal(await result, undefined);
  assert.equal(asked(), 1);
});
