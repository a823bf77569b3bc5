import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAmount } from "../lib/money.ts";
import { parseStockRow } from "../suppliers/stock/stock-row.ts";
import { demoPrices, demoProducts } from "./demo-catalog.ts";
import { demoStock, makeStockFile } from "./demo-stock.ts";

const NOW = new Date("2030-06-15T12:00:00Z");
const NO_CELLS = { code: "", pin: "", serial: "", url: "", expiresAt: "" };
const types = new Map(demoProducts.map((product) => [product.id, product.type ?? "gift_card"]));
const stockOf = new Map(demoStock.map((stock) => [stock.productId, stock]));

test("most demo gift cards have about twenty codes, a few are out of stock, a few have no route", () => {
  const cards = [...types].filter(([, type]) => type === "gift_card").map(([id]) => stockOf.get(id));
  const counts = cards.map((stock) => stock?.codes);
  assert.ok(counts.filter((codes = 0) => codes >= 20).length > cards.length / 2);
  assert.ok(counts.filter((codes) => codes === 0).length >= 2);
  assert.ok(counts.filter((codes) => codes === undefined).length >= 2);
});

test("only one or two demo top-ups are sold from stock", () => {
  const topUps = demoStock.filter(({ productId }) => types.get(productId) === "top_up");
  assert.ok(topUps.length >= 1 && topUps.length <= 2);
});

test("demo stock is for known products, once each, and costs less than the face value and the price", () => {
  assert.equal(stockOf.size, demoStock.length);
  for (const { productId, cost } of demoStock) {
    const faceValue = demoProducts.find((product) => product.id === productId)?.faceValue;
    assert.ok(faceValue, productId);
    const { amount, currency, isMoney = true } = faceValue;
    const costMinor = parseAmount(cost, currency);
    assert.ok(costMinor > 0n);
    if (isMoney) assert.ok(costMinor < parseAmount(amount, currency), productId);
    for (const price of demoPrices.filter((one) => one.productId === productId && one.currency === currency))
      assert.ok(costMinor < parseAmount(price.amount, currency), productId);
  }
});

test("a demo stock file has the requested number of unique, valid codes", () => {
  const seen = new Set<string>();
  let made = 0;
  for (const { productId, shape } of demoStock) {
    const [header = "", ...lines] = makeStockFile({ shape, codes: 50 }, NOW).trimEnd().split("\n");
    assert.equal(lines.length, 50);
    const columns = header.split(",");
    for (const line of lines) {
      const cells = Object.fromEntries(line.split(",").map((cell, index) => [columns[index], cell]));
      const row = parseStockRow({ ...NO_CELLS, ...cells }, NOW);
      assert.ok("goods" in row, `${productId}: ${JSON.stringify(row)}`);
      seen.add(cells.code ?? cells.url ?? "");
      made += 1;
    }
  }
  assert.equal(seen.size, made);
});
