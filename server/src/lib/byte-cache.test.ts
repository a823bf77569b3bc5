import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED } from "../../testing/seed.ts";
import { createByteCache } from "./byte-cache.ts";

const OVERHEAD_BYTES = 256;
const sizeOf = (value: { bytes: number }): number => value.bytes;

test("a value that fits is kept, and get returns the same object", () => {
  const cache = createByteCache(10_000, sizeOf);
  const value = { bytes: 100 };
  cache.set("a", value);
  assert.equal(cache.get("a"), value);
  assert.equal(cache.get("b"), undefined);
});

test("recently used entries are kept, and the oldest unused entry is evicted", () => {
  const cache = createByteCache(3 * (100 + OVERHEAD_BYTES), sizeOf);
  for (const key of ["a", "b", "c"]) cache.set(key, { bytes: 100 });
  cache.get("a");
  cache.set("d", { bytes: 100 });
  assert.deepEqual(
    ["a", "b", "c", "d"].map((key) => cache.get(key) !== undefined),
    [true, false, true, true],
  );
});

test("a value larger than the whole cache is not kept", () => {
  const cache = createByteCache(1_000, sizeOf);
  cache.set("a", { bytes: 100 });
  cache.set("huge", { bytes: 5_000 });
  assert.equal(cache.get("huge"), undefined);
  cache.set("b", { bytes: 100 });
  assert.ok(cache.get("b"));
});

test("setting a key again counts its size once", () => {
  const cache = createByteCache(2 * (100 + OVERHEAD_BYTES), sizeOf);
  cache.set("b", { bytes: 100 });
  for (let round = 0; round < 50; round += 1) cache.set("a", { bytes: 100 });
  assert.ok(cache.get("a"));
  assert.ok(cache.get("b"));
});

test("after any sequence of sets and gets, the cache stays within its limit and returns the last value set", () => {
  const maxBytes = 4_000;
  const key = fc.constantFrom(..."abcdefghij");
  const step = fc.record({ key, bytes: fc.option(fc.nat({ max: 2_500 }), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cache = createByteCache(maxBytes, sizeOf);
      const last = new Map<string, { bytes: number }>();
      for (const { key: name, bytes } of steps) {
        if (bytes === undefined) cache.get(name);
        else {
          const value = { bytes };
          last.set(name, value);
          cache.set(name, value);
        }
      }
      const held = [...last].filter(([each]) => cache.get(each) !== undefined);
      for (const [each, value] of held) assert.equal(cache.get(each), value);
      assert.ok(held.reduce((sum, [, value]) => sum + value.bytes + OVERHEAD_BYTES, 0) <= maxBytes);
    }),
    { seed: SEED, numRuns: 1_000 },
  );
});
