import assert from "node:assert/strict";
import { test } from "node:test";
import { generateKey } from "../../keys/key-format.ts";
import { type Options, UsageError } from "../verb.ts";
import { readListenOptions } from "./read-listen-options.ts";

const KEY = generateKey("test");
const OTHER_KEY = generateKey("live");
const NOW_MS = Date.UTC(2030, 0, 31, 12);
const TO = { forwardTo: "http://localhost:3000/hook" };

const read = (options: Options, env: Record<string, string> = {}) =>
  readListenOptions({ ...TO, ...options }, { SCRIP_API_KEY: KEY, ...env }, NOW_MS);

test("with only a key and an address: all events from now on, with a generated secret", () => {
  const { apiKey, webhookSecret, ...rest } = read({});
  assert.deepEqual(rest, {
    forwardTo: "http://localhost:3000/hook",
    apiUrl: "http://localhost:8080",
    environment: "test",
    secretIsNew: true,
    eventTypes: undefined,
    sinceMs: undefined,
    isJson: false,
  });
  assert.equal(apiKey.reveal(), KEY);
  assert.match(webhookSecret.reveal(), /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.notEqual(webhookSecret.reveal(), read({}).webhookSecret.reveal());
});

test("options take precedence over the environment, and an empty variable counts as not set", () => {
  const both = read(
    { apiKey: OTHER_KEY, secret: "whsec_option12" },
    { SCRIP_WEBHOOK_SECRET: "whsec_environment" },
  );
  assert.deepEqual([both.apiKey.reveal(), both.environment], [OTHER_KEY, "live"]);
  assert.deepEqual([both.webhookSecret.reveal(), both.secretIsNew], ["whsec_option12", false]);
  const settings = read({}, { SCRIP_WEBHOOK_SECRET: "whsec_environment" });
  assert.equal(settings.webhookSecret.reveal(), "whsec_environment");
  assert.equal(read({}, { SCRIP_WEBHOOK_SECRET: " " }).secretIsNew, true);
});

const API_URLS: [Options, Record<string, string>, string][] = [
  [{}, { PORT: "9000" }, "http://localhost:9000"],
  [{}, { PORT: "9000", PUBLIC_URL: "https://api.example.com/" }, "https://api.example.com"],
  [
    { apiUrl: "https://api.example.com/" },
    { PUBLIC_URL: "https://other.example.com" },
    "https://api.example.com",
  ],
  [
    { apiUrl: "http://localhost:1" },
    { PORT: "0", DATABASE_URL: "nonsense", LOG_LEVEL: "loud" },
    "http://localhost:1",
  ],
  [{}, { DATABASE_URL: "nonsense", LOG_LEVEL: "loud" }, "http://localhost:8080"],
];
for (const [options, env, expected] of API_URLS) {
  test(`the API with ${JSON.stringify({ ...options, ...env })} is at ${expected}`, () =>
    assert.equal(read(options, env).apiUrl, expected));
}

const FORWARD_TO: [string, string][] = [
  ["http://localhost:3000", "http://localhost:3000/"],
  ["https://10.0.0.1:8443/hook?a=b", "https://10.0.0.1:8443/hook?a=b"],
  ["http://[::1]:3000/", "http://[::1]:3000/"],
];
for (const [forwardTo, expected] of FORWARD_TO) {
  test(`it forwards to ${forwardTo}`, () => assert.equal(read({ forwardTo }).forwardTo, expected));
}

const SINCE: [string, number][] = [
  ["30s", NOW_MS - 30_000],
  ["10m", NOW_MS - 600_000],
  ["2h", NOW_MS - 7_200_000],
  ["30d", NOW_MS - 30 * 86_400_000],
  ["999999d", 0],
  ["2030-01-31T11:59:00.5Z", NOW_MS - 59_500],
  ["2030-01-31T13:00:00+01:00", NOW_MS],
];
for (const [since, expected] of SINCE) {
  test(`--since ${since}`, () => assert.equal(read({ since }).sinceMs, expected));
}

const REFUSED: [Options, Record<string, string>, RegExp][] = [
  [{ forwardTo: "localhost:3000" }, {}, /^--forward-to must be an http or https URL/],
  [{ forwardTo: "ftp://localhost/" }, {}, /^--forward-to must be/],
  [{ forwardTo: "http://user:password@localhost/" }, {}, /^--forward-to must be/],
  [{ forwardTo: "http://localhost/#hook" }, {}, /^--forward-to must be/],
  [{ forwardTo: `http://localhost/${"a".repeat(2_048)}` }, {}, /^--forward-to must be/],
  [{ forwardTo: KEY }, {}, /^--forward-to must be/],
  [{ apiUrl: "api.example.com" }, {}, /^--api-url must be/],
  [{ apiUrl: "http://localhost/?a=b" }, {}, /^--api-url must be/],
  [{ apiUrl: KEY }, {}, /^--api-url must be/],
  [{}, { PORT: "0" }, /^PORT is 0/],
  [{}, { SCRIP_API_KEY: "" }, /^an API key is required: set SCRIP_API_KEY or use --api-key$/],
  [{ apiKey: KEY.slice(0, -1) }, {}, /^the API key is invalid/],
  [{ apiKey: `${KEY}0` }, {}, /^the API key is invalid/],
  [{ apiKey: "whsec_dGhpcyBpcyB0aGUgc2VjcmV0" }, {}, /^the API key is invalid/],
  [{ secret: KEY }, {}, /^the signing secret must start with whsec_/],
  [{ secret: "whsec_short" }, {}, /^the signing secret must start with whsec_/],
  [{}, { SCRIP_WEBHOOK_SECRET: KEY }, /^the signing secret must start with whsec_/],
  [{ events: " , " }, {}, /^--events must be a list/],
  [{ since: "yesterday" }, {}, /^--since must be a time/],
  [{ since: "10" }, {}, /^--since must be a time/],
  [{ since: "2030-01-31" }, {}, /^--since must be a time/],
  [{ since: "2030-01-31T12:02:00Z" }, {}, /^--since must not be in the future$/],
];
for (const [options, env, reason] of REFUSED) {
  test(`refused: ${Object.keys({ ...options, ...env })} ${reason}`, () => {
    assert.throws(
      () => read(options, env),
      (error: Error) =>
        error instanceof UsageError && reason.test(error.message) && !error.message.includes(KEY),
    );
  });
}

test("a list of types can contain spaces", () => {
  assert.deepEqual(read({ events: "order.fulfilled, order.refunded" }).eventTypes, [
    "order.fulfilled",
    "order.refunded",
  ]);
});
