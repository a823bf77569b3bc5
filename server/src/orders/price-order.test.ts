import assert from "node:assert/strict";
import { test } from "node:test";
import type { VisibleProductRow } from "../catalog/queries.ts";
import { AMOUNT_MAX_MINOR } from "../lib/money.ts";
import { Problem } from "../lib/problem.ts";
import { toOrderRequest } from "./order-request.ts";
import { priceOrder, UNITS_MAX } from "./price-order.ts";

const PRODUCT: VisibleProductRow = {
  id: "card",
  name: "Card",
  type: "gift_card",
  faceValueAmount: "10.00",
  faceValueCurrency: "USD",
  faceValueUnit: "USD",
  faceValueIsMoney: true,
  bonus: "",
  minQuantity: 2,
  maxQuantity: UNITS_MAX,
  inputFields: [],
  amountMinor: 1n,
  strikeMinor: null,
  basis: null,
  supply: "available",
};

/** The total of an order of these quantities, or the code of its refusal. */
function tryOrder(
  amountMinor: bigint,
  quantities: readonly number[],
  expectedTotal?: number,
): bigint | string {
  const request = toOrderRequest({
    lines: quantities.map((quantity) => ({ productId: "card", quantity })),
    ...(expectedTotal === undefined ? {} : { expectedTotal }),
  });
  const products = new Map([["card", { ...PRODUCT, amountMinor }]]);
  try {
    return priceOrder("live", request, { catalogRevision: "1.1", currency: "USD", products }).totalMinor;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

test("a total of exactly the maximum is accepted, and one minor unit more is refused", () => {
  const half = (AMOUNT_MAX_MINOR - 1n) / 2n;
  assert.equal(tryOrder(half, [2]), AMOUNT_MAX_MINOR - 1n);
  assert.equal(tryOrder(AMOUNT_MAX_MINOR / 7n, [7]), (AMOUNT_MAX_MINOR / 7n) * 7n);
  assert.equal(tryOrder(half + 1n, [2]), "invalid_request");
  // 2^53 - 1 is 6361 × 69431 × 20394401.
  assert.equal(tryOrder(AMOUNT_MAX_MINOR / 6_361n, [6_361]), AMOUNT_MAX_MINOR);
  assert.equal(tryOrder(AMOUNT_MAX_MINOR / 6_361n, [6_361, 2]), "invalid_request");
});

test("as many units as the maximum are accepted in one line or in several, and one more is refused", () => {
  assert.equal(tryOrder(1n, [UNITS_MAX]), BigInt(UNITS_MAX));
  assert.equal(tryOrder(1n, [UNITS_MAX - 2, 2]), BigInt(UNITS_MAX));
  assert.equal(tryOrder(1n, [UNITS_MAX - 2, 3]), "quantity_out_of_range");
});

test("the smallest and the largest quantity of a product are accepted", () => {
  assert.equal(tryOrder(1n, [2]), 2n);
  assert.equal(tryOrder(1n, [1]), "quantity_out_of_range");
  assert.equal(tryOrder(1n, [UNITS_MAX + 1]), "quantity_out_of_range");
});

test("the total must be exactly what the caller expects", () => {
  assert.equal(tryOrder(5n, [2], 10), 10n);
  for (const expected of [9, 11]) assert.equal(tryOrder(5n, [2], expected), "price_changed");
});
