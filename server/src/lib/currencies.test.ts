import assert from "node:assert/strict";
import { test } from "node:test";
import { isCurrency, minorUnitExponent } from "./currencies.ts";

test("the decimals are those of ISO-4217 and not of habit", () => {
  const expected: Readonly<Record<string, number>> = {
    JPY: 0,
    KRW: 0,
    VND: 0,
    ISK: 0,
    UGX: 0,
    USD: 2,
    EUR: 2,
    TWD: 2,
    HUF: 2,
    IDR: 2,
    IRR: 2,
    COP: 2,
    KWD: 3,
    TND: 3,
    IQD: 3,
    CLF: 4,
    UYW: 4,
  };
  for (const [currency, exponent] of Object.entries(expected)) {
    assert.equal(minorUnitExponent(currency), exponent, currency);
  }
});

test("what is not a currency's code is none, in lower case and as a name of Object included", () => {
  for (const code of ["", "usd", "US", "USDT", "XXX", "XAU", "BTC", "DEM", "constructor", "__proto__"]) {
    assert.equal(isCurrency(code), false, code);
    assert.throws(() => minorUnitExponent(code), RangeError, code);
  }
});

test("the currencies that are paid in are known, the newest among them too", () => {
  for (const code of "USD EUR GBP CNY INR BRL NGN ZAR AED SAR TRY PKR XCG SLE ZWG".split(" ")) {
    assert.equal(isCurrency(code), true, code);
  }
  // CLDR also lists metals, funds and withdrawn currencies, so the two lists are not equal; most of ours are in it.
  const shared = Intl.supportedValuesOf("currency").filter(isCurrency);
  assert.ok(shared.length > 150, `only ${shared.length} are known`);
});
