import assert from "node:assert/strict";
import { test } from "node:test";
import { secret } from "../../lib/secret.ts";
import { parseScripConfig } from "./scrip-config.ts";
import { createScripSupplier } from "./scrip-supplier.ts";

const apiKey = `sc_live_${"aB3".repeat(12)}zz`;
const baseUrl = "https://upstream.example/api/";

test("a live key and an address make a supplier", () => {
  for (const url of [
    baseUrl,
    "http://127.0.0.1:8080",
    "http://127.8.9.10",
    "http://localhost:8080/api",
    "http://[::1]:1",
    "http://2130706433",
  ]) {
    const config = parseScripConfig({ baseUrl: url, apiKey });
    assert.deepEqual(config, { baseUrl: url, apiKey });
    createScripSupplier({ ...config, apiKey: secret(config.apiKey) });
  }
});

const FAULTS: [what: string, config: unknown, message: RegExp][] = [
  ["no object", "hunter2", /^the config must be/],
  ["a list", [baseUrl, apiKey], /^the config must be/],
  ["null", null, /^the config must be/],
  ["no address", { apiKey }, /lacks baseUrl/],
  ["no key", { baseUrl }, /lacks apiKey/],
  ["a number for a key", { baseUrl, apiKey: 1 }, /lacks apiKey/],
  [
    "a further member",
    { baseUrl, apiKey, hunter2: 1 },
    /member other than baseUrl, apiKey and allowInsecure/,
  ],
  ["a test key", { baseUrl, apiKey: apiKey.replace("live", "test") }, /is a test key.*must be a live key/],
  ["half a key", { baseUrl, apiKey: apiKey.slice(0, -1) }, /must be a live key/],
  ["a key with a line end", { baseUrl, apiKey: `${apiKey}\n` }, /must be a live key/],
  ["another's key", { baseUrl, apiKey: "sk_live_hunter2" }, /must be a live key/],
  ["credentials in the address", { baseUrl: "https://u:hunter2@a.example", apiKey }, /^baseUrl must be/],
  ["a query", { baseUrl: "https://a.example/?hunter2", apiKey }, /^baseUrl must be/],
  ["a fragment", { baseUrl: "https://a.example/#hunter2", apiKey }, /^baseUrl must be/],
  ["another scheme", { baseUrl: "ftp://a.example", apiKey }, /^baseUrl must be/],
  ["no scheme", { baseUrl: "hunter2", apiKey }, /^baseUrl must be/],
  ["plain http", { baseUrl: "http://hunter2.example", apiKey }, /^baseUrl is plain http.*allowInsecure/],
  ["plain http to the neighbours", { baseUrl: "http://10.0.0.7:8080", apiKey }, /^baseUrl is plain http/],
  ["a name like this machine's", { baseUrl: "http://127.0.0.1.hunter2.example", apiKey }, /is plain http/],
  ["plain http, not allowed", { baseUrl: "http://a.example", apiKey, allowInsecure: false }, /is plain http/],
  [
    "a word for a flag",
    { baseUrl, apiKey, allowInsecure: "hunter2" },
    /^allowInsecure must be true or false/,
  ],
];

test("plain http is taken where the config says so", () => {
  const config = { baseUrl: "http://upstream.example", apiKey, allowInsecure: true };
  assert.deepEqual(parseScripConfig(config), config);
  assert.deepEqual(parseScripConfig({ ...config, baseUrl, allowInsecure: false }), { baseUrl, apiKey });
});

for (const [what, config, message] of FAULTS) {
  test(`a config with ${what} is refused, without a word of what it holds`, () => {
    assert.throws(
      () => parseScripConfig(config),
      (error) => {
        assert.ok(error instanceof RangeError);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /hunter2|aB3/);
        return true;
      },
    );
  });
}
