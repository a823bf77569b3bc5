import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { testCode } from "../../server/src/sandbox/test-code.ts";
import { sandboxCode } from "./sandbox-code.ts";

test("a code is the first 60 bits of the SHA-256 of key and place, in Crockford's base32", async () => {
  // printf 'order-1:0:0' | sha256sum begins with 61bc934637b0390.
  assert.equal(await sandboxCode("order-1", 0, 0), "TEST-C6Y9-6HHQ-P0WG");
});

test("it equals the server's code, for any key and place", async () => {
  const key = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 255 });
  const index = fc.nat({ max: 10_000 });
  await fc.assert(
    fc.asyncProperty(key, index, index, async (idempotencyKey, line, unit) => {
      assert.equal(await sandboxCode(idempotencyKey, line, unit), testCode(idempotencyKey, line, unit));
    }),
    { numRuns: 1000 },
  );
});

test("each unit of each line has its own code", async () => {
  const places = Array.from({ length: 400 }, (_, index) => [Math.floor(index / 20), index % 20] as const);
  const codes = await Promise.all(places.map(([line, unit]) => sandboxCode("order-1", line, unit)));
  assert.equal(new Set(codes).size, places.length);
});

test("an invalid place is refused", async () => {
  for (const index of [-1, 0.5, Number.NaN, 2 ** 53]) {
    await assert.rejects(sandboxCode("k", index, 0), RangeError);
    await assert.rejects(sandboxCode("k", 0, index), RangeError);
  }
});
