import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "./clock.ts";
import { createIds, entryIdOf, idsOf, timeOfId } from "./ids.ts";

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const IDS = 10_000;

const NOW_MS = Date.UTC(2030, 5, 1);
const sourceAt = (ms: number) => createIds({ now: () => new Date(ms) });

test("an id is its prefix and 26 characters of Crockford base32", () => {
  const ids = createIds(systemClock);
  for (const prefix of ["ord", "prd", "whk", "evt", "dlv", "key", "rsl", "cod", "ent", "req"] as const) {
    assert.match(ids(prefix), new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
  }
});

test("the id holds a UUIDv7 of the time of its clock", () => {
  const uuid = decode(sourceAt(NOW_MS)("ord"));
  assert.equal(Number(uuid >> 80n), NOW_MS);
  assert.equal((uuid >> 76n) & 0xfn, 7n, "version");
  assert.equal((uuid >> 62n) & 0x3n, 2n, "variant");
});

test("ids of one millisecond are all different and sort in the order they were made", () => {
  const source = sourceAt(NOW_MS);
  const ids = Array.from({ length: IDS }, () => source("ord"));
  assert.equal(new Set(ids).size, IDS);
  assert.deepEqual([...ids].sort(), ids);
});

test("a clock that is set back does not make ids that sort before earlier ones", () => {
  const times = [0, -5_000, 1, -60_000, 2].map((ms) => new Date(NOW_MS + ms));
  const ids = createIds({ now: () => times.shift() ?? new Date(NOW_MS) });
  const made = [ids("req"), ids("req"), ids("req"), ids("req"), ids("req")];
  assert.deepEqual([...made].sort(), made);
});

test("a source that lives in the future does not move another one", () => {
  const future = { now: () => new Date("2090-01-01T00:00:00Z") };
  idsOf(future)("ord");
  assert.equal(timeOfId(sourceAt(NOW_MS)("ord")), NOW_MS);
  assert.ok(timeOfId(idsOf(systemClock)("ord")) < future.now().getTime());
  assert.equal(idsOf(future), idsOf(future));
});

test("the id of the entry that pays for an order follows from the order's id", () => {
  const orderId = sourceAt(NOW_MS)("ord");
  assert.equal(entryIdOf(orderId), orderId.replace("ord_", "ent_"));
});

test("62 bits of an id are random, and every one of them takes both values", () => {
  const tails = Array.from({ length: 2_000 }, () => decode(idsOf(systemClock)("key")) & ((1n << 62n) - 1n));
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
