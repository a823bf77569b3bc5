import assert from "node:assert/strict";
import { test } from "node:test";
import { freshBytes } from "./fresh-bytes.ts";

const hexOf = (length: number): string => freshBytes(length).toString("hex");

test("bytes are given out once, over many fillings of the pool, in any mix of lengths", () => {
  const given = Array.from({ length: 5_000 }, (_, index) => freshBytes(index % 2 === 0 ? 32 : 12));
  // Eight bytes at every offset: two pieces that overlap by as many share some.
  const words = new Set<string>();
  let count = 0;
  for (const bytes of given)
    for (let at = 0; at + 8 <= bytes.length; at += 1) {
      words.add(bytes.subarray(at, at + 8).toString("latin1"));
      count += 1;
    }
  assert.equal(words.size, count);
  for (const bytes of given) assert.ok(bytes.some((byte) => byte !== 0));
});

test("what was given out does not change when more is", () => {
  const kept = freshBytes(32);
  const before = kept.toString("hex");
  for (let round = 0; round < 1_000; round += 1) freshBytes(32);
  assert.equal(kept.toString("hex"), before);
});

test("a piece has the length that was asked for, up to that of the pool", () => {
  for (const length of [0, 1, 12, 32, 4_096]) assert.equal(hexOf(length).length, 2 * length);
  assert.throws(() => freshBytes(4_097), /at most 4096 bytes/);
});
