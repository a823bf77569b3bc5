import assert from "node:assert/strict";
import { test } from "node:test";
import { describeKinds, findKind, getKind, getRemoteKind, KIND_NAMES, REMOTE_KINDS } from "./registry.ts";

/** The check of `suppliers.kind`. */
const KIND_PATTERN = /^[a-z][a-z0-9_]{0,31}$/;

test("every kind has a unique name that the table accepts", () => {
  assert.equal(new Set(KIND_NAMES).size, KIND_NAMES.length);
  for (const name of KIND_NAMES) assert.match(name, KIND_PATTERN);
});

test("own stock has no config; every other kind refuses a config that is not one", () => {
  assert.throws(() => getRemoteKind("stock"), /a stock supplier takes no config/);
  for (const { parseConfig, accountOf } of REMOTE_KINDS) {
    for (const json of [null, [], "text", {}]) {
      assert.throws(() => parseConfig(json), RangeError);
      assert.equal(accountOf(json), undefined);
    }
  }
});

test("every kind describes its config: the example names each required field, and no other member is accepted", () => {
  for (const { kind, configFields, configExample, parseConfig } of REMOTE_KINDS) {
    const keys = configFields.map(({ key }) => key);
    assert.equal(new Set(keys).size, keys.length);
    for (const { key, label, help, required } of configFields) {
      assert.ok(label.length > 0 && help.endsWith("."), `${kind} ${key}`);
      if (required) assert.ok(configExample.includes(`"${key}"`), `${kind} ${key} is in the example`);
    }
    const other = Object.fromEntries([...keys, "other"].map((key) => [key, "x"]));
    assert.throws(() => parseConfig(other), /member other than/);
  }
});

test("an unknown kind is refused with the names of those there are", () => {
  assert.equal(findKind("shop"), undefined);
  assert.throws(() => getKind("shop"), /is stock or scrip.*, not "shop"/);
  for (const name of KIND_NAMES) assert.ok(describeKinds().includes(`${name} `));
});
