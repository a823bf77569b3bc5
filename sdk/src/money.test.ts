import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as server from "../../server/src/lib/currencies.ts";
import { formatAmount, parseAmount } from "../../server/src/lib/money.ts";
import {
  addMoney,
  compareMoney,
  formatMoney,
  type MoneyInput,
  minorUnitExponent,
  multiplyMoney,
  toMinorUnits,
} from "./money.ts";

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const CURRENCIES = LETTERS.flatMap((a) => LETTERS.flatMap((b) => LETTERS.map((c) => a + b + c))).filter(
  server.isCurrency,
);
const usd = (amount: MoneyInput["amount"]) => ({ amount, currency: "USD" });

test("the decimals of every currency are those that the server knows", () => {
  assert.ok(CURRENCIES.length > 150);
  for (const code of CURRENCIES) assert.equal(minorUnitExponent(code), server.minorUnitExponent(code), code);
});

test("amounts are formatted with the currency's decimals, from any input type", () => {
  assert.equal(formatMoney(usd(1250)), "12.50");
  assert.equal(formatMoney(usd("5")), "0.05");
  assert.equal(formatMoney(usd(-7n)), "-0.07");
  assert.equal(formatMoney(usd(0)), "0.00");
  assert.equal(formatMoney(usd(-0)), "0.00");
  assert.equal(formatMoney({ amount: 1250, currency: "JPY" }), "1250");
  assert.equal(formatMoney({ amount: 1250, currency: "KWD" }), "1.250");
  assert.equal(formatMoney({ amount: "1250", currency: "USD", minorUnitExponent: "4" }), "0.1250");
  assert.equal(formatMoney(usd("9007199254740993")), "90071992547409.93");
});

test("formatting and parsing round-trip, and match the server", () => {
  fc.assert(
    fc.property(fc.constantFrom(...CURRENCIES), fc.bigInt(-(10n ** 30n), 10n ** 30n), (currency, amount) => {
      const text = formatMoney({ amount, currency });
      assert.equal(text, formatAmount(amount, currency));
      assert.equal(toMinorUnits(text, currency), amount);
      assert.equal(toMinorUnits(text, minorUnitExponent(currency)), amount);
      const small = formatMoney({
        amount: amount < 0n ? -amount % 10n ** 12n : amount % 10n ** 12n,
        currency,
      });
      assert.equal(toMinorUnits(small, currency), parseAmount(small, currency));
    }),
    { numRuns: 1000 },
  );
});

test("missing decimals are filled up; too many are refused and never rounded", () => {
  assert.equal(toMinorUnits("12", 2), 1200n);
  assert.equal(toMinorUnits("12.5", "USD"), 1250n);
  assert.equal(toMinorUnits("0.29", 2), 29n);
  assert.equal(toMinorUnits("-1.10", 2), -110n);
  for (const text of ["12.500", "12.501", "0.001"]) assert.throws(() => toMinorUnits(text, 2), /more than 2/);
  assert.throws(() => toMinorUnits("1.0", "JPY"), /more than 0/);
});

test("anything but a plain decimal is refused", () => {
  const wrong = [
    "",
    " ",
    "1 ",
    "+1",
    "1,5",
    "1.",
    ".5",
    "1e3",
    "0x1",
    "1.2.3",
    "--1",
    "NaN",
    "١",
    "9".repeat(41),
  ];
  for (const text of wrong) assert.throws(() => toMinorUnits(text, 2), RangeError, text);
  assert.throws(() => toMinorUnits(12.5 as unknown as string, 0), RangeError);
});

test("sums, products and comparisons are exact beyond safe integers", () => {
  const most = usd(Number.MAX_SAFE_INTEGER);
  assert.deepEqual(addMoney(most, usd("1"), usd(1n)), {
    amount: BigInt(Number.MAX_SAFE_INTEGER) + 2n,
    currency: "USD",
    minorUnitExponent: 2,
  });
  assert.equal(multiplyMoney(most, 3).amount, BigInt(Number.MAX_SAFE_INTEGER) * 3n);
  assert.equal(multiplyMoney(usd("250"), 4n).amount, 1000n);
  const sums = [usd(3), usd("-1"), usd(2n), addMoney(most, most)];
  assert.deepEqual(
    sums.sort(compareMoney).map(({ amount }) => String(amount)),
    ["-1", "2", "3", "18014398509481982"],
  );
  assert.equal(compareMoney(usd("10"), usd(10)), 0);
});

test("money of two currencies, or with two numbers of decimals, is not combined", () => {
  const others: MoneyInput[] = [
    { amount: 1, currency: "EUR" },
    { ...usd(1), minorUnitExponent: 3 },
  ];
  for (const other of others) {
    assert.throws(() => addMoney(usd(1), other), RangeError);
    assert.throws(() => addMoney(usd(1), usd(2), other), RangeError);
    assert.throws(() => compareMoney(usd(1), other), RangeError);
  }
});

test("an amount that is not an integer, or not exact, is refused", () => {
  const wrong = [0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, "1.5", "", "1e3", null, undefined, {}];
  for (const amount of wrong as number[]) {
    assert.throws(() => formatMoney(usd(amount)), RangeError, String(amount));
    assert.throws(() => addMoney(usd(1), usd(amount)), RangeError);
    assert.throws(() => multiplyMoney(usd(1), amount), RangeError);
  }
  for (const currency of ["usd", "", "DOLLAR", "US"]) {
    assert.throws(() => formatMoney({ amount: 1, currency }), RangeError);
  }
  for (const exponent of [-1, 0.5, 21, "x"]) {
    assert.throws(() => formatMoney({ ...usd(1), minorUnitExponent: exponent }), RangeError);
  }
});
