import assert from "node:assert/strict";
import { test } from "node:test";
import { format, inspect } from "node:util";
import { createLog } from "./log.ts";
import { maskSecrets, secret } from "./secret.ts";

const HIDDEN = "hunter2-correct-horse";

test("reveal returns the value", () => {
  assert.equal(secret(HIDDEN).reveal(), HIDDEN);
});

test("printing a secret in any way does not show its value", () => {
  const held = secret(HIDDEN);
  const nested = { inner: { list: [held] }, map: new Map([["key", held]]) };
  const printed = [
    String(held),
    `${held}`,
    `${[held]}`,
    JSON.stringify(held),
    JSON.stringify(nested),
    inspect(held),
    inspect(nested, { depth: null, showHidden: true }),
    inspect(held, { customInspect: false, showHidden: true, depth: null, getters: true }),
    format("%s %o %O %j %d", held, held, held, held, held),
    Object.values(held).map(String).join(),
    JSON.stringify(Object.entries(held)),
    JSON.stringify({ ...held }),
    new Error(`cannot use ${held}`).message,
  ];
  for (const text of printed) assert.doesNotMatch(text, /hunter2/);
  assert.equal(JSON.stringify({ held }), '{"held":"[redacted]"}');
  assert.equal(inspect(held), "[redacted]");
  assert.equal(`${held}`, "[redacted]");
});

test("a secret of bytes does not show them in any encoding", () => {
  const held = secret(Buffer.from(HIDDEN));
  const printed = [
    inspect(held),
    JSON.stringify({ held }),
    String(held),
    inspect({ held }, { depth: null }),
  ].join();
  for (const encoding of ["utf8", "hex", "base64", "base64url"] as const) {
    assert.equal(printed.includes(Buffer.from(HIDDEN).toString(encoding)), false, encoding);
  }
});

test("the log does not show a secret at any depth", () => {
  const lines: string[] = [];
  const log = createLog("debug", { write: (line) => void lines.push(line) });
  const held = secret(HIDDEN);
  log.info({ held, nested: { held }, list: [held] }, "a line");
  log.child({ held }).warn("another");
  log.error({ err: new Error("broken", { cause: held }) }, `with ${held}`);
  log.info("%s %o %j", held, held, held);
  assert.match(lines.join(""), /\[redacted\]/);
  assert.doesNotMatch(lines.join(""), /hunter2/);
});

test("keys and webhook secrets are masked wherever they are, and the rest stays", () => {
  assert.equal(maskSecrets("/v1/orders/sc_live_abc123/codes"), "/v1/orders/sc_live_…/codes");
  const body = JSON.stringify({ detail: '"sc_test_abc" is not a webhook' });
  assert.deepEqual(JSON.parse(maskSecrets(body)), { detail: '"sc_test_…" is not a webhook' });
  assert.equal(maskSecrets("whsec_a+b= and whsec_c"), "whsec_… and whsec_…");
  assert.equal(maskSecrets("/v1/orders/ord_1"), "/v1/orders/ord_1");
});
