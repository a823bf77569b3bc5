import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../lib/strict-json.ts";
import { type ImportedProduct, parseProductRow } from "./product-file.ts";

const minimal = { id: "nimbus-us-25", name: "Nimbus 25 USD", faceValue: { amount: "25", currency: "USD" } };

const parsed = (value: Json): ImportedProduct => {
  const result = parseProductRow(value);
  assert.ok("product" in result, JSON.stringify(result));
  return result.product;
};

/** The faults as "path: reason". */
const faultsOf = (value: Json): string[] => {
  const result = parseProductRow(value);
  assert.ok("faults" in result, "no fault was found");
  return result.faults.map(({ path, reason }) => `${path}: ${reason}`);
};

const withFaceValue = (faceValue: Json): Json => ({ ...minimal, faceValue });

test("a minimal product gets the defaults; active, hidden and details stay unset", () => {
  assert.deepEqual(parsed(minimal), {
    id: "nimbus-us-25",
    name: "Nimbus 25 USD",
    type: "gift_card",
    faceValue: { amount: "25", currency: "USD", unit: "USD", isMoney: true },
    bonus: "",
    minQuantity: 1,
    maxQuantity: 10,
    inputFields: [],
    active: undefined,
    hidden: undefined,
    details: {},
  });
});

test("a complete product is unchanged", () => {
  const product = {
    id: "a.b_c:d-9",
    name: "Arcadia Legends 325 Crystals",
    type: "top_up",
    faceValue: { amount: "325", currency: "USD", unit: "Crystals", isMoney: false },
    bonus: "+25 Crystals",
    minQuantity: 2,
    maxQuantity: 10_000,
    inputFields: [{ key: "playerId", type: "text", required: true, regex: "^[0-9]+$", options: [] }],
    active: false,
    hidden: true,
  };
  const details = {
    brand: "Arcadia",
    category: "Games",
    country: "DE",
    description: "One line.\n\tAnother line.",
    redeemInstructions: "Sign in.",
    terms: "",
    imageUrl: "https://img.example/a.png",
  };
  assert.deepEqual(parsed({ ...product, ...details }), { ...product, details });
});

test("each detail has its limit", () => {
  const refused: [Record<string, Json>, RegExp][] = [
    [{ brand: "a".repeat(101) }, /^brand: must have at most 100/],
    [{ brand: "a\nb" }, /^brand: contains a line break/],
    [{ category: 7 }, /^category: must be text/],
    [{ country: "usa" }, /^country: must have at most 2/],
    [{ country: "us" }, /^country: "us" is not/],
    [{ description: "a".repeat(2_001) }, /^description: must have at most 2000/],
    [{ redeemInstructions: "\u202e" }, /^redeemInstructions: contains a control/],
    [{ terms: "a".repeat(4_001) }, /^terms: must have at most 4000/],
    [{ imageUrl: "http://img.example" }, /^imageUrl: must be an address/],
    [{ imageUrl: "javascript:alert(1)" }, /^imageUrl: must be an address/],
    [{ imageUrl: `https://img.example/${"a".repeat(2_048)}` }, /^imageUrl: must have at most 2048/],
  ];
  for (const [details, reason] of refused) assert.match(faultsOf({ ...minimal, ...details }).join(), reason);
});

test("every fault of a product is reported at once", () => {
  const faults = faultsOf({
    name: " ",
    type: "voucher",
    faceValue: { amount: "1,5", currency: "EURO" },
    minQuantity: 0,
    inputFields: [{ key: "a" }],
    active: "yes",
    colour: "red",
  });
  const paths = faults.map((fault) => fault.split(":", 1)[0]);
  assert.deepEqual(paths.sort(), [
    "active",
    "colour",
    "faceValue.amount",
    "faceValue.currency",
    "id",
    "inputFields[0].type",
    "minQuantity",
    "name",
    "type",
  ]);
});

test("a value that is not an object is not a product", () => {
  for (const value of [null, [], "x", 1]) assert.match(faultsOf(value).join(), /^: must be an object, not /);
});

test("an id is 1–64 characters of A-Za-z0-9._:-", () => {
  for (const id of ["", "x".repeat(65), "a b", "ä", "a/b", 7, null]) {
    assert.match(faultsOf({ ...minimal, id }).join(), /^id: /);
  }
});

test("a name is trimmed and has 1–200 characters without control characters", () => {
  assert.equal(parsed({ ...minimal, name: "  Nimbus\u00A0" }).name, "Nimbus");
  assert.equal(parsed({ ...minimal, name: "🎮".repeat(200) }).name.length, 400);
  for (const name of ["", "  ", "x".repeat(201), "a\nb", "a\u0085b", "a\uFFFDb"]) {
    assert.match(faultsOf({ ...minimal, name }).join(), /^name: /);
  }
});

test("an amount is an exact decimal string; a JSON number is refused with advice to quote it", () => {
  for (const amount of ["25", "25.00", "0.99", "0"]) {
    assert.equal(parsed(withFaceValue({ amount, currency: "USD" })).faceValue.amount, amount);
  }
  for (const amount of ["", "-1", "+1", "1e3", "1,000", ".5", "5.", " 5", "1".repeat(19), "x"]) {
    assert.match(faultsOf(withFaceValue({ amount, currency: "USD" })).join(), /^faceValue\.amount: must/);
  }
  assert.deepEqual(faultsOf(withFaceValue({ amount: 9.5, currency: "USD" })), [
    'faceValue.amount: must be text: write "9.5" in quotes to keep it exact',
  ]);
});

test("money has at most its currency's decimals; other units can have eight", () => {
  assert.deepEqual(faultsOf(withFaceValue({ amount: "25.000", currency: "USD" })), [
    "faceValue.amount: has too many decimals: USD has 2",
  ]);
  assert.deepEqual(faultsOf(withFaceValue({ amount: "500.0", currency: "JPY" })), [
    "faceValue.amount: has too many decimals: JPY has 0",
  ]);
  assert.equal(parsed(withFaceValue({ amount: "5.125", currency: "KWD" })).faceValue.isMoney, true);
  assert.equal(
    parsed(withFaceValue({ amount: "0.12345678", currency: "USD", unit: "Gold" })).faceValue.isMoney,
    false,
  );
  assert.match(
    faultsOf(withFaceValue({ amount: "0.123456789", currency: "USD", unit: "Gold" })).join(),
    /amount/,
  );
});

test("the currency is an uppercase ISO 4217 code", () => {
  for (const currency of ["usd", "XXX", "EURO", "", 840]) {
    assert.match(faultsOf(withFaceValue({ amount: "1", currency })).join(), /^faceValue\.currency: /);
  }
  assert.deepEqual(faultsOf(withFaceValue({})), [
    "faceValue.amount: is required",
    "faceValue.currency: is required",
  ]);
  assert.deepEqual(faultsOf({ id: "a", name: "A" }), ["faceValue: is required, with amount and currency"]);
});

test("a face value is money if its unit is absent or the currency; otherwise it counts units", () => {
  const faceValue = (more: { [key: string]: Json }): Json =>
    withFaceValue({ amount: "5", currency: "USD", ...more });
  assert.equal(parsed(faceValue({ unit: "USD" })).faceValue.isMoney, true);
  assert.equal(parsed(faceValue({ unit: "UC" })).faceValue.isMoney, false);
  assert.equal(parsed(faceValue({ unit: "UC", isMoney: false })).faceValue.unit, "UC");
  assert.deepEqual(faultsOf(faceValue({ unit: "UC", isMoney: true })), [
    "faceValue.unit: must be USD or absent when isMoney is true",
  ]);
  assert.match(
    faultsOf(faceValue({ isMoney: false })).join(),
    /^faceValue\.unit: is required when isMoney is false/,
  );
  assert.match(faultsOf(faceValue({ unit: "x".repeat(33) })).join(), /^faceValue\.unit: /);
});

test("quantities are whole numbers with 1 ≤ min ≤ max ≤ 10000", () => {
  for (const minQuantity of [0, -1, 1.5, "2", null]) {
    assert.match(faultsOf({ ...minimal, minQuantity }).join(), /^minQuantity: must be a whole number from 1/);
  }
  assert.match(faultsOf({ ...minimal, maxQuantity: 10_001 }).join(), /^maxQuantity: must be a whole number/);
  assert.deepEqual(faultsOf({ ...minimal, minQuantity: 5, maxQuantity: 4 }), [
    "maxQuantity: is 4, but must not be below minQuantity, 5",
  ]);
  assert.deepEqual(faultsOf({ ...minimal, minQuantity: 11 }), [
    "maxQuantity: is 10 by default, but must not be below minQuantity, 11",
  ]);
});

test("a bonus has at most 200 characters", () => {
  assert.equal(parsed({ ...minimal, bonus: "x".repeat(200) }).bonus.length, 200);
  assert.match(faultsOf({ ...minimal, bonus: "x".repeat(201) }).join(), /^bonus: /);
});

test("unknown members are refused by name, also in the face value", () => {
  assert.match(faultsOf({ ...minimal, price: "9.50" }).join(), /^price: unknown member/);
  const faceValue = { ...minimal.faceValue, units: "UC" };
  assert.match(faultsOf(withFaceValue(faceValue)).join(), /^faceValue\.units: unknown member/);
});

test("input fields written as text get a specific message", () => {
  assert.match(
    faultsOf({ ...minimal, inputFields: "[]" }).join(),
    /must be an array, not text that holds one/,
  );
  assert.match(faultsOf({ ...minimal, inputFields: "[{]" }).join(), /inputFields: .* at position 3/);
});
