import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { isForcedAnswer, isForcedRefusal, isOrderScenario, isScenario, SCENARIO_NAMES } from "./scenarios.ts";

/** CONTRACT 7, said once more. */
const AT_ONCE = [
  "insufficient_funds",
  "out_of_stock",
  "product_not_purchasable",
  "rate_limited",
  "internal_error",
  "service_unavailable",
];
const ON_THE_ORDER = [
  "success",
  "failed",
  "refunded",
  "partial",
  "delayed",
  "stuck",
  "refunded_after_completion",
];
const ON_THE_EVENTS = ["webhook_duplicate", "webhook_late", "webhook_bad_signature"];

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

/** The texts that a check names, apart from the environments. */
async function namedBy(constraint: string): Promise<string[]> {
  const [row] = await database.db.rows<{ text: string }>(sql`
    select pg_get_constraintdef(oid) as text from pg_constraint where conname = ${constraint}`);
  return [...(row?.text ?? "").matchAll(/'(\w+)'/g)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "test");
}

test("the scenarios are those of the contract", () => {
  assert.deepEqual(SCENARIO_NAMES, [...AT_ONCE, ...ON_THE_ORDER, ...ON_THE_EVENTS]);
});

test("each scenario does its work in one place: at once, at placement, or on the order", () => {
  assert.deepEqual(SCENARIO_NAMES.filter(isForcedRefusal), AT_ONCE.slice(0, 3));
  assert.deepEqual(SCENARIO_NAMES.filter(isForcedAnswer), AT_ONCE.slice(3));
  const onTheOrder = [...ON_THE_ORDER, ...ON_THE_EVENTS].filter((name) => name !== "success");
  assert.deepEqual(SCENARIO_NAMES.filter(isOrderScenario), onTheOrder);
});

test("the database knows the same ones, of orders and of events", async () => {
  assert.deepEqual(await namedBy("orders_test_scenario"), SCENARIO_NAMES.filter(isOrderScenario));
  assert.deepEqual(await namedBy("events_test_scenario"), ON_THE_EVENTS);
});

test("a property that every JavaScript object has is not a scenario", () => {
  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty", "", "SUCCESS", " success"])
    assert.equal(isScenario(name), false, name);
});
