import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, readLimit } from "./page.ts";

test("limits up to the maximum are taken as they are, and larger ones become the maximum", () => {
  const given = ["1", "99", String(PAGE_LIMIT_MAX), "101", "00100", "9".repeat(400)];
  assert.deepEqual(given.map(readLimit), [1, 99, 100, 100, 100, 100]);
});

test("zero, empty and absent mean the default", () => {
  assert.deepEqual(["0", "000", "", undefined].map(readLimit), Array(4).fill(PAGE_LIMIT_DEFAULT));
});

test("what is not a whole number is refused", () => {
  for (const text of ["-1", "1.0", "1e2", " 1", "ten", "0x10"])
    assert.throws(() => readLimit(text), /limit must be a whole number/, text);
});
