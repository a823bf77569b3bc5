import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "./ids.ts";

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const IDS = 10_000;

test("an id is its prefix and 26 characters of Crockford base32", () => {
  for (const prefix of ["ord", "prd", "whk", "evt", "dlv", "key", "rsl", "cod", "ent", "req"] as const) {
    assert.match(newId(prefix), new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
  }
});

test("what is inside is a UUIDv7 of the moment it was made", () => {
  const nowMs = Date.now() + 60_000;
  const uuid = decode(newId("ord", nowMs));
  assert.equal(Number(uuid >> 80n), nowMs);
  assert.equal((uuid >> 76n) & 0xfn, 7n, "version");
  assert.equal((uuid >> 62n) & 0x3n, 2n, "variant");
});

test("ids of one millisecond are all different and sort in the order they were made", () => {
  const nowMs = Date.now() + 120_000;
  const ids = Array.from({ length: IDS }, () => newId("ord", nowMs));
  assert.equal(new Set(ids).size, IDS);
  assert.deepEqual([...ids].sort(), ids);
});

test("a clock that is set back does not make ids that sort before earlier ones", () => {
  const nowMs = Date.now() + 240_000;
  const ids = [nowMs, nowMs - 5_000, nowMs + 1, nowMs - 60_000, nowMs + 2].map((at) => newId("req", at));
  assert.deepEqual([...ids].sort(), ids);
});

test("62 bits of an id are random, and every one of them takes both values", () => {
  const tails = Array.from({ length: 2_000 }, () => decode(newId("key")) & ((1n << 62n) - 1n));
  assert.equal(new Set(tails).size, tails.length);
  const ever = tails.reduce((bits, tail) => bits | tail, 0n);
  const always = tails.reduce((bits, tail) => bits & tail, (1n << 62n) - 1n);
  assert.equal(ever, (1n << 62n) - 1n);
  assert.equal(always, 0n);
});

const decode = (id: string): bigint =>
  [...id.slice(id.indexOf("_") + 1)].reduce(
    (value, character) => (value << 5n) | BigInt(CROCKFORD.indexOf(character)),
    0n,
  );
