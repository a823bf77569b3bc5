import assert from "node:assert/strict";
import { test } from "node:test";
import { planTestUnit, type TestUnitInput, type TestUnitPlan } from "./plan-test-unit.ts";
import { isOrderScenario, type OrderScenario, SCENARIO_NAMES } from "./scenarios.ts";

const CREATED = new Date("2026-03-01T12:00:00Z");
const after = (ms: number) => new Date(CREATED.getTime() + ms);
const plan = (scenario: OrderScenario | null, changes: Partial<TestUnitInput> = {}): TestUnitPlan =>
  planTestUnit({ scenario, createdAt: CREATED, isLast: false, now: CREATED, ...changes });
const delivered = { kind: "make-test-code" };
const refused = { kind: "give-up", failureCode: "rejected_by_issuer" };

/** For a unit among others, and for the last one. */
const PLANS: Record<OrderScenario, [among: object, last: object]> = {
  failed: [refused, refused],
  refunded: [refused, refused],
  partial: [delivered, refused],
  delayed: [
    { kind: "wait", until: after(20_000) },
    { kind: "wait", until: after(20_000) },
  ],
  stuck: [
    { kind: "wait", until: new Date("9999-12-31T00:00:00Z") },
    { kind: "wait", until: new Date("9999-12-31T00:00:00Z") },
  ],
  refunded_after_completion: [delivered, delivered],
  webhook_duplicate: [delivered, delivered],
  webhook_late: [delivered, delivered],
  webhook_bad_signature: [delivered, delivered],
};

test("without a scenario a unit is delivered", () => {
  for (const isLast of [false, true]) assert.deepEqual(plan(null, { isLast }), delivered);
});

test("each scenario of an order plans its units as documented, and there are no others", () => {
  assert.deepEqual(Object.keys(PLANS), SCENARIO_NAMES.filter(isOrderScenario));
  for (const [scenario, [among, last]] of Object.entries(PLANS) as [OrderScenario, [object, object]][]) {
    assert.deepEqual(plan(scenario), among, scenario);
    assert.deepEqual(plan(scenario, { isLast: true }), last, `${scenario}, the last unit`);
  }
});

test("a delayed unit is delivered from the twentieth second after the order's acceptance, and not before", () => {
  assert.equal(plan("delayed", { now: after(19_999) }).kind, "wait");
  assert.deepEqual(plan("delayed", { now: after(20_000) }), delivered);
  assert.deepEqual(plan("delayed", { now: after(86_400_000) }), delivered);
});

test("a stuck unit waits however long ago its order was accepted", () => {
  assert.equal(plan("stuck", { now: after(365 * 86_400_000) }).kind, "wait");
});
