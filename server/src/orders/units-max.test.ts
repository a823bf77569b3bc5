import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, ordersOf, postOrder } from "../../testing/builders/buyers.ts";
import { UNITS_MAX } from "./price-order.ts";

let scrip: TestApp;
let buyer: Buyer;

before(async () => {
  scrip = await createTestApp();
  buyer = await addBuyer(scrip, "1000000.00");
  await addProducts(scrip.db, [{ id: "bulk" }]);
  await scrip.db.rows(sql`update products set max_quantity = ${UNITS_MAX}`);
  await addListPrice(scrip.db, { productId: "bulk", amountMinor: 1n });
});
after(() => scrip.close());

test("an order can have as many units as the largest line, and one more in another line is refused", async () => {
  const full = { productId: "bulk", quantity: UNITS_MAX };
  const refused = await postOrder(scrip, buyer, "one too many", {
    lines: [full, { productId: "bulk", quantity: 1 }],
  });
  assert.equal(refused.statusCode, 422);
  assert.equal(refused.json().code, "quantity_out_of_range");
  assert.equal(refused.json().errors[0].pointer, "/lines/1/quantity");
  assert.deepEqual(await ordersOf(scrip.db, buyer), []);
  assert.equal((await postOrder(scrip, buyer, "just enough", { lines: [full] })).statusCode, 202);
});
