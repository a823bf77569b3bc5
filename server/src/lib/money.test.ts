import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED } from "../../testing/seed.ts";
import { AMOUNT_MAX_MINOR, formatAmount, parseAmount, toMoney, toSafeInteger } from "./money.ts";

test("a decimal text becomes minor units by the currency's own number of decimals", () => {
  assert.equal(parseAmount("9.5", "USD"), 950n);
  assert.equal(parseAmount("9.50", "USD"), 950n);
  assert.equal(parseAmount("0.01", "USD"), 1n);
  assert.equal(parseAmount("0", "USD"), 0n);
  assert.equal(parseAmount("007", "USD"), 700n);
  assert.equal(parseAmount("1500", "JPY"), 1500n);
  assert.equal(parseAmount("1.234", "KWD"), 1234n);
  assert.equal(parseAmount("1.2345", "CLF"), 12345n);
  // In binary fractions 0.29 · 100 is 28.999…: money never goes that way.
  assert.equal(parseAmount("0.29", "USD"), 29n);
});

test("more decimals than the currency has are refused, never rounded, even when they are zeros", () => {
  for (const [text, currency] of [
    ["1.234", "USD"],
    ["1.0", "JPY"],
    ["1.000", "USD"],
    ["1.2345", "KWD"],
  ] as const) {
    assert.throws(() => parseAmount(text, currency), /more decimals/, `${text} ${currency}`);
  }
});

test("what is not a plain amount is refused", () => {
  const refused = [
    "",
    " ",
    "-1",
    "+1",
    "1,00",
    "1 000",
    "1e3",
    ".5",
    "5.",
    "0x10",
    "１",
    "NaN",
    "1.2.3",
    " 1",
    "1\n",
  ];
  for (const text of refused) assert.throws(() => parseAmount(text, "USD"), RangeError, text);
});

test("an amount above what JSON carries exactly is refused", () => {
  assert.equal(parseAmount("90071992547409.91", "USD"), AMOUNT_MAX_MINOR);
  assert.throws(() => parseAmount("90071992547409.92", "USD"), /larger/);
  assert.throws(() => parseAmount("9".repeat(17), "JPY"), RangeError);
  assert.throws(() => toSafeInteger(AMOUNT_MAX_MINOR + 1n), RangeError);
  assert.throws(() => toSafeInteger(-AMOUNT_MAX_MINOR - 1n), RangeError);
  assert.equal(toSafeInteger(-AMOUNT_MAX_MINOR), -Number.MAX_SAFE_INTEGER);
});

test("money carries amount, currency and the exponent of ISO-4217", () => {
  assert.deepEqual(toMoney(2375n, "USD"), { amount: 2375, currency: "USD", minorUnitExponent: 2 });
  assert.deepEqual(toMoney(5000n, "JPY"), { amount: 5000, currency: "JPY", minorUnitExponent: 0 });
  assert.deepEqual(toMoney(1n, "KWD"), { amount: 1, currency: "KWD", minorUnitExponent: 3 });
});

test("amounts are written with all of their decimals, negative ones with one sign", () => {
  assert.equal(formatAmount(950n, "USD"), "9.50");
  assert.equal(formatAmount(5n, "USD"), "0.05");
  assert.equal(formatAmount(-5n, "USD"), "-0.05");
  assert.equal(formatAmount(0n, "KWD"), "0.000");
  assert.equal(formatAmount(-1500n, "JPY"), "-1500");
});

test("any amount that is written is read back as it was, in every number of decimals", () => {
  const amount = fc.bigInt({ min: 0n, max: AMOUNT_MAX_MINOR });
  fc.assert(
    fc.property(amount, fc.constantFrom("JPY", "USD", "KWD", "CLF"), (amountMinor, currency) => {
      assert.equal(parseAmount(formatAmount(amountMinor, currency), currency), amountMinor);
    }),
    { seed: SEED, numRuns: 1_000 },
  );
});
