import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { auditAfter } from "../../testing/builders/audit-after.ts";
import { addOrderInState, type OrderSeed } from "../../testing/builders/fulfilment-rows.ts";
import {
  addHealthyOrders,
  addSeller,
  HEALTHY_LIVE_ORDERS,
  HEALTHY_TEST_ORDERS,
  type Seller,
} from "../../testing/builders/healthy-orders.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { audit } from "./audit.ts";

let database: TestDatabase;
let seller: Seller;

before(async () => {
  database = await createTestDatabase();
  seller = await addSeller(database.db);
});

after(() => database.drop());

const clean = async (environment: keyof Seller, order: OrderSeed): Promise<void> =>
  assert.deepEqual(
    await auditAfter(database.db, (tx) => addOrderInState(tx, seller[environment], order)),
    {},
  );

for (const order of HEALTHY_LIVE_ORDERS) {
  test(`the audit accepts ${order.id} on its own`, () => clean("live", order));
}

for (const order of HEALTHY_TEST_ORDERS) {
  test(`the audit accepts ${order.id} on its own`, () => clean("test", order));
}

test("the audit accepts all of them together and reports how much it checked", async () => {
  await database.db.transaction((tx) => addHealthyOrders(tx, seller));
  const { ok, invariants } = await audit(database.db);
  assert.ok(ok, JSON.stringify(invariants));
  const stories = [...HEALTHY_LIVE_ORDERS, ...HEALTHY_TEST_ORDERS]
    .filter(({ status }) => status !== "pending")
    .flatMap(({ lines }) => lines.flat());
  const orders = HEALTHY_LIVE_ORDERS.length + HEALTHY_TEST_ORDERS.length;
  const checked = new Map(invariants.map((one) => [one.number, one.checked]));
  assert.deepEqual(
    [3, 5, 6, 7, 8, 10].map((number) => checked.get(number)),
    [orders, orders, stories.length, orders, orders, orders],
  );
  assert.ok((checked.get(9) ?? 0) > 10);
});
