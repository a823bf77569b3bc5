import assert from "node:assert/strict";
import { test } from "node:test";
import { scripKind } from "./scrip-kind.ts";

const apiKey = `sc_live_${"a".repeat(38)}`;

test("the account of a config that is refused today is still known, so that it can be repaired", () => {
  const config = { baseUrl: "http://10.0.0.5:8080", apiKey };
  assert.throws(() => scripKind.parseConfig(config), /plain http/);
  assert.deepEqual(scripKind.accountOf(config), { address: "http://10.0.0.5:8080/", holder: apiKey });
});

test("a config without an address has no account", () => {
  for (const json of [null, "text", {}, { baseUrl: "nowhere" }, { baseUrl: 1 }])
    assert.equal(scripKind.accountOf(json), undefined);
});

test("one address in two spellings is the same account, another key is not", () => {
  const [one, other] = ["https://a.example", "https://A.example:443/"].map((baseUrl) =>
    scripKind.accountOf({ baseUrl, apiKey }),
  );
  assert.deepEqual(one, other);
  const another = scripKind.accountOf({ baseUrl: "https://a.example", apiKey: `${apiKey.slice(0, -1)}b` });
  assert.notDeepEqual(one, another);
});
