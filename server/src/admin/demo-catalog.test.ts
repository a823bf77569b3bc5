import assert from "node:assert/strict";
import { test } from "node:test";
import { type ImportedProduct, parseProductRow } from "../catalog/files/product-file.ts";
import { parseAmount } from "../lib/money.ts";
import { parseStrictJsonText } from "../lib/strict-json.ts";
import { demoPrices, demoProducts, demoResellerPrices, demoUnlisted } from "./demo-catalog.ts";

const products = demoProducts.map((product): ImportedProduct => {
  const result = parseProductRow(parseStrictJsonText(JSON.stringify(product)));
  assert.ok("product" in result, `${product.id}: ${JSON.stringify(result)}`);
  return result.product;
});
const ids = new Set(products.map((product) => product.id));
const fields = products.flatMap((product) => product.inputFields);

test("there are about forty demo products with unique ids", () => {
  assert.ok(products.length >= 35 && products.length <= 45, `${products.length} products`);
  assert.equal(ids.size, products.length);
});

test("the demo has gift cards in currencies with zero, two and three decimals, several per brand", () => {
  const currencies = new Set(
    products.filter((product) => product.type === "gift_card").map((product) => product.faceValue.currency),
  );
  for (const currency of ["USD", "EUR", "GBP", "JPY", "KWD", "BRL"])
    assert.ok(currencies.has(currency), currency);
  assert.ok(products.filter((product) => product.id.startsWith("nimbus-us-")).length >= 3);
});

test("the demo has top-ups that count units, with text, number, select and cascading fields", () => {
  const units = products.filter((product) => product.type === "top_up" && !product.faceValue.isMoney);
  assert.ok(new Set(units.map((product) => product.faceValue.unit)).size >= 3);
  assert.ok(fields.some((field) => field.type === "text" && field.regex !== ""));
  assert.ok(fields.some((field) => field.type === "number" && field.regex !== ""));
  assert.ok(fields.some((field) => field.type === "select" && !field.required));
  assert.ok(fields.some((field) => field.options.some((option) => option.parentValue !== "")));
});

test("the demo has a hidden, an inactive and an unpriced product, and various quantity limits", () => {
  assert.ok(products.some((product) => product.hidden));
  assert.ok(products.some((product) => product.active === false));
  const priced = new Set(demoPrices.map((price) => price.productId));
  const unpriced = products.filter(
    (product) => !priced.has(product.id) && !product.hidden && product.active !== false,
  );
  assert.equal(unpriced.length, 1);
  assert.ok(products.some((product) => product.minQuantity > 1));
  assert.ok(new Set(products.map((product) => product.maxQuantity)).size >= 4);
});

test("every demo product has a brand and a category, and some have a country", () => {
  for (const { id, brand, category } of demoProducts) assert.ok(brand && category, id);
  assert.ok(new Set(demoProducts.map(({ brand }) => brand)).size >= 10);
  assert.ok(demoProducts.some(({ country }) => country === "JP"));
  assert.ok(demoProducts.some(({ country }) => country === undefined));
});

test("one demo product has a bonus and a strike price", () => {
  const struck = new Set(
    demoPrices.filter((price) => price.strike !== undefined).map((price) => price.productId),
  );
  assert.ok(products.some((product) => product.bonus !== "" && struck.has(product.id)));
});

test("demo prices are exact, for known products, unique per product and currency, and below their strike price", () => {
  const pairs = demoPrices.map((price) => `${price.productId} ${price.currency}`);
  assert.equal(new Set(pairs).size, pairs.length);
  const own = demoResellerPrices.map((price) => ({
    ...price,
    currency: price.reseller === "northwind" ? "USD" : "EUR",
  }));
  for (const { productId, currency, amount, strike } of [...demoPrices, ...own]) {
    assert.ok(ids.has(productId), productId);
    const amountMinor = parseAmount(amount, currency);
    assert.ok(amountMinor > 0n);
    if (strike !== undefined) assert.ok(parseAmount(strike, currency) > amountMinor, productId);
  }
});

test("a card costs a few percent less than its face value", () => {
  const cards = new Map(products.map((product) => [product.id, product.faceValue]));
  for (const { productId, currency, amount } of demoPrices) {
    const faceValue = cards.get(productId);
    if (!faceValue?.isMoney || faceValue.currency !== currency) continue;
    const share = Number(amount) / Number(faceValue.amount);
    assert.ok(share > 0.9 && share < 1, `${productId} costs ${share} of its face value`);
  }
});

test("each demo reseller has its own prices and products it cannot see", () => {
  for (const reseller of ["northwind", "kestrel"]) {
    assert.ok(demoResellerPrices.some((price) => price.reseller === reseller));
    assert.ok(demoUnlisted.some((entry) => entry.reseller === reseller && ids.has(entry.productId)));
  }
});
