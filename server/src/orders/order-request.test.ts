import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { SEED } from "../../testing/seed.ts";
import { toOrderRequest } from "./order-request.ts";

const BODY = {
  lines: [
    { productId: "card", quantity: 2 },
    { productId: "top-up", quantity: 1, inputFields: { b: 7, a: "x" } },
  ],
  reference: "invoice-1",
};
/** As computed by the first version of the API: keys are bound forever. */
const FINGERPRINT = "4601b3bccd09d7c1563c42a4db83733435c346dde50c20af6566960ffff4a14e";

const fingerprintOf = (changes: object): string =>
  toOrderRequest({ ...BODY, ...changes }).fingerprint.toString("hex");

test("the fingerprint of a request never changes, and partial fulfilment equals the default", () => {
  assert.equal(fingerprintOf({}), FINGERPRINT);
  assert.equal(fingerprintOf({ fulfilment: "partial" }), FINGERPRINT);
  assert.equal(fingerprintOf({ expectedTotal: 1 }), FINGERPRINT);
  assert.equal(toOrderRequest(BODY).allOrNothing, false);
});

test("all or nothing is a different request, with and without a reference", () => {
  const whole = fingerprintOf({ fulfilment: "all_or_nothing" });
  assert.equal(toOrderRequest({ ...BODY, fulfilment: "all_or_nothing" }).allOrNothing, true);
  const others = [
    FINGERPRINT,
    fingerprintOf({ reference: "all_or_nothing" }),
    fingerprintOf({ reference: "invoice-2", fulfilment: "all_or_nothing" }),
  ];
  assert.equal(new Set([whole, ...others]).size, 4);
});

test("the fingerprint is that of the canonical JSON, whatever characters a request contains", () => {
  const text = fc.string({ unit: "binary", minLength: 1 });
  const value = fc.oneof(text, fc.integer(), fc.boolean());
  const line = fc.record(
    { productId: text, quantity: fc.integer(), inputFields: fc.dictionary(text, value) },
    { requiredKeys: ["productId", "quantity"] },
  );
  const body = fc.record(
    { lines: fc.array(line, { minLength: 1 }), fulfilment: fc.constantFrom("partial", "all_or_nothing") },
    { requiredKeys: ["lines"] },
  );
  fc.assert(
    fc.property(body, (asked) => {
      const { lines, allOrNothing, fingerprint } = toOrderRequest(asked as never);
      const canonical = lines.map(({ productId, quantity, inputFields, badKeys }) => [
        productId,
        quantity,
        Object.entries(inputFields).sort(([a], [b]) => (a < b ? -1 : 1)),
        ...badKeys,
      ]);
      const json = JSON.stringify([canonical, null, ...(allOrNothing ? ["all_or_nothing"] : [])]);
      assert.equal(fingerprint.toString("hex"), createHash("sha256").update(json).digest("hex"));
    }),
    { seed: SEED, numRuns: 200 },
  );
});
