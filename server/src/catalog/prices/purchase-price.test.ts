import assert from "node:assert/strict";
import { test } from "node:test";
import { purchasePrice } from "./purchase-price.ts";

test("live, a product needs a price and supply; in the sandbox it needs a price", () => {
  const tries = (["none", "empty", "available"] as const).map((supply) =>
    (["live", "test"] as const).map((environment) => purchasePrice({ amountMinor: 5n, supply }, environment)),
  );
  assert.deepEqual(tries, [
    ["product_not_purchasable", 5n],
    ["out_of_stock", 5n],
    [5n, 5n],
  ]);
  for (const environment of ["live", "test"] as const)
    assert.equal(
      purchasePrice({ amountMinor: null, supply: "available" }, environment),
      "product_not_purchasable",
    );
});
