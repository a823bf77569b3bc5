import assert from "node:assert/strict";
import { test } from "node:test";
import { isCurrency, minorUnitExponent, parseCurrency } from "./currencies.ts";

test("exponents follow ISO 4217, even where common usage differs", () => {
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

test("unknown codes are not currencies, including lowercase codes and Object property names", () => {
  for (const code of ["", "usd", "US", "USDT", "XXX", "XAU", "BTC", "DEM", "constructor", "__proto__"]) {
    assert.equal(isCurrency(code), false, code);
    assert.throws(() => minorUnitExponent(code), RangeError, code);
  }
});

test("all currencies in use are known, including the newest", () => {
  for (const code of "USD EUR GBP CNY INR BRL NGN ZAR AED SAR TRY PKR XCG SLE ZWG".split(" ")) {
    assert.equal(isCurrency(code), true, code);
  }
  // CLDR also lists metals, funds and withdrawn currencies, so the two lists are not equal, but they overlap.
  const shared = Intl.supportedValuesOf("currency").filter(isCurrency);
  assert.ok(shared.length > 150, `only ${shared.length} are known`);
});

test("a currency can be typed in small letters; a word is quoted whole", () => {
  assert.equal(parseCurrency("eur"), "EUR");
  assert.equal(parseCurrency(" USD "), "USD");
  assert.throws(() => parseCurrency("Euro"), {
    message: '"Euro" is not an ISO-4217 currency; write its three letters, such as EUR',
  });
});
