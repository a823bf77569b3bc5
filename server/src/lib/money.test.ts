import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED } from "../../testing/seed.ts";
import {
  AMOUNT_MAX_MINOR,
  formatAmount,
  limitIn,
  parseAmount,
  parseAmountLimits,
  parseTypedAmount,
  toMoney,
  toSafeInteger,
} from "./money.ts";

test("parseAmount uses the currency's number of decimals", () => {
  assert.equal(parseAmount("9.5", "USD"), 950n);
  assert.equal(parseAmount("9.50", "USD"), 950n);
  assert.equal(parseAmount("0.01", "USD"), 1n);
  assert.equal(parseAmount("0", "USD"), 0n);
  assert.equal(parseAmount("007", "USD"), 700n);
  assert.equal(parseAmount("1500", "JPY"), 1500n);
  assert.equal(parseAmount("1.234", "KWD"), 1234n);
  assert.equal(parseAmount("1.2345", "CLF"), 12345n);
  // In floating point, 0.29 * 100 is 28.999….
  assert.equal(parseAmount("0.29", "USD"), 29n);
});

test("too many decimals are refused, never rounded, even when they are zeros", () => {
  for (const [text, currency] of [
    ["1.234", "USD"],
    ["1.0", "JPY"],
    ["1.000", "USD"],
    ["1.2345", "KWD"],
  ] as const) {
    assert.throws(() => parseAmount(text, currency), /too many decimals/, `${text} ${currency}`);
  }
});

test("text that is not a plain amount is refused", () => {
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

test("an amount that JSON cannot represent exactly is refused", () => {
  assert.equal(parseAmount("90071992547409.91", "USD"), AMOUNT_MAX_MINOR);
  assert.throws(() => parseAmount("90071992547409.92", "USD"), /larger/);
  assert.throws(() => parseAmount("9".repeat(17), "JPY"), RangeError);
  assert.throws(() => toSafeInteger(AMOUNT_MAX_MINOR + 1n), RangeError);
  assert.throws(() => toSafeInteger(-AMOUNT_MAX_MINOR - 1n), RangeError);
  assert.equal(toSafeInteger(-AMOUNT_MAX_MINOR), -Number.MAX_SAFE_INTEGER);
});

test("money has an amount, a currency and the ISO 4217 exponent", () => {
  assert.deepEqual(toMoney(2375n, "USD"), { amount: 2375, currency: "USD", minorUnitExponent: 2 });
  assert.deepEqual(toMoney(5000n, "JPY"), { amount: 5000, currency: "JPY", minorUnitExponent: 0 });
  assert.deepEqual(toMoney(1n, "KWD"), { amount: 1, currency: "KWD", minorUnitExponent: 3 });
});

test("amounts are formatted with all decimals, and negative amounts with one sign", () => {
  assert.equal(formatAmount(950n, "USD"), "9.50");
  assert.equal(formatAmount(5n, "USD"), "0.05");
  assert.equal(formatAmount(-5n, "USD"), "-0.05");
  assert.equal(formatAmount(0n, "KWD"), "0.000");
  assert.equal(formatAmount(-1500n, "JPY"), "-1500");
});

test("every formatted amount parses back to itself, for every number of decimals", () => {
  const amount = fc.bigInt({ min: 0n, max: AMOUNT_MAX_MINOR });
  fc.assert(
    fc.property(amount, fc.constantFrom("JPY", "USD", "KWD", "CLF"), (amountMinor, currency) => {
      assert.equal(parseAmount(formatAmount(amountMinor, currency), currency), amountMinor);
    }),
    { seed: SEED, numRuns: 1_000 },
  );
});

const limits = (text: string, ...currencies: string[]) =>
  currencies.map((currency) => limitIn(parseAmountLimits(text), currency));

test("one amount is for every currency, in its own minor units", () => {
  assert.deepEqual(limits("1000", "USD", "JPY", "KWD"), [100_000n, 1_000n, 1_000_000n]);
  assert.deepEqual(limits("1000.505", "USD", "JPY", "KWD"), [100_050n, 1_000n, 1_000_505n]);
  assert.deepEqual(limits("0", "USD"), [0n]);
});

test("a named currency has its own amount, and without a general one all others have zero", () => {
  assert.deepEqual(limits("1000, JPY:150000", "USD", "JPY"), [100_000n, 150_000n]);
  assert.deepEqual(limits("USD:1000.00,EUR:900.00", "USD", "EUR", "GBP"), [100_000n, 90_000n, 0n]);
});

test("everything else is refused with its reason", () => {
  for (const [text, reason] of [
    ["", /has "", which is not an amount/],
    ["-1", /"-1", which is not an amount/],
    ["1e3", /which is not an amount/],
    ["1,000.00", /two amounts/],
    ["1000,", /has "", which is not an amount/],
    ["1000,2000", /two amounts/],
    ["USD:1,USD:2", /has USD twice/],
    ["XYZ:1", /"XYZ", which is not an ISO-4217 currency/],
    ["JPY:1.5", /too many decimals/],
  ] as const)
    assert.throws(() => parseAmountLimits(text), reason, text);
});

test("a person can type an amount as pages print it: a comma before groups of three digits, never where it could be a point", () => {
  assert.equal(parseTypedAmount("1,500.00", "EUR"), 150_000n);
  assert.equal(parseTypedAmount("1,500", "USD"), 150_000n);
  assert.equal(parseTypedAmount("12,345,678", "JPY"), 12_345_678n);
  for (const [text, currency, example] of [
    ["1 000,50", "EUR", "25.00"],
    ["1.000,50", "EUR", "25.00"],
    ["12,5", "EUR", "25.00"],
    ["1500,000.00", "EUR", "25.00"],
    ["1,500", "KWD", "25.000"],
    ["1,50", "JPY", "25"],
  ] as const)
    assert.throws(() => parseTypedAmount(text, currency), {
      message: `"${text}" is not an amount; write it like ${example}`,
    });
  assert.throws(
    () => parseAmount("1,500.00", "EUR"),
    /is not an amount/,
    "files and suppliers are read as before",
  );
});
