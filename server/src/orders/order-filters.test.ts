import assert from "node:assert/strict";
import { test } from "node:test";
import type { OrderFilters, PageFilters } from "@scrip/sdk";
import { ORDER_FILTER_NAMES, ORDER_FILTERS } from "./order-filters.ts";

/** The compiler holds this to the SDK's type, and the test below holds it to the table. */
const SDK_FILTERS: Record<Exclude<keyof OrderFilters, keyof PageFilters>, true> = {
  status: true,
  reference: true,
  idempotencyKey: true,
  productId: true,
  createdFrom: true,
  createdTo: true,
};

test("the SDK lists orders by the filters of the table and by no others", () => {
  assert.deepEqual([...ORDER_FILTER_NAMES].sort(), Object.keys(SDK_FILTERS).sort());
});

test("each filter either has an index of its own or narrows the range of every index", () => {
  for (const [name, { lead, ids }] of Object.entries(ORDER_FILTERS)) {
    assert.equal([lead, ids].filter((one) => one !== undefined).length, 1, name);
  }
});
