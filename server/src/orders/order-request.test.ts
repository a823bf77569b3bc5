import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../testing/any-character.ts";
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
  const text = fc.string({ unit: anyCharacter, minLength: 1 });
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

test("a value that cannot be read makes another request, whatever the other values are", () => {
  const withFields = (inputFields: object) =>
    fingerprintOf({ lines: [{ productId: "top-up", quantity: 1, inputFields }] });
  const prints = [{ a: "x" }, { a: "x", b: {} }, { a: "x", c: null }, { a: "x", b: {}, c: [] }].map(
    withFields,
  );
  assert.equal(new Set(prints).size, prints.length);
});

test("the order of lines, the quantity and the reference are part of the request; the order of keys is not", () => {
  const [card, topUp] = BODY.lines;
  assert.ok(card && topUp);
  const others = [
    fingerprintOf({ lines: [topUp, card] }),
    fingerprintOf({ lines: [{ ...card, quantity: 3 }, topUp] }),
    fingerprintOf({ lines: [card] }),
    fingerprintOf({ reference: "invoice-2" }),
    fingerprintOf({ reference: undefined }),
  ];
  assert.equal(new Set([FINGERPRINT, ...others]).size, 1 + others.length);
  const turned = { ...topUp, inputFields: { a: "x", b: "7" } };
  assert.equal(fingerprintOf({ lines: [card, turned] }), FINGERPRINT);
});
