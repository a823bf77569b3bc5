import assert from "node:assert/strict";
import { test } from "node:test";
import { ORDINARY_FATE, orderFate } from "./order-fate.ts";
import { isOrderScenario, SCENARIO_NAMES } from "./scenarios.ts";

test("a scenario that is not about the order, and none at all, leave it the ordinary fate", () => {
  for (const scenario of [undefined, ...SCENARIO_NAMES.filter((one) => !isOrderScenario(one))])
    assert.deepEqual(orderFate(scenario), ORDINARY_FATE, scenario);
});

test("failed holds the refund, refunded_after_completion has a time for it, the others are remembered by name alone", () => {
  const special: Record<string, object> = {
    failed: { refundHeld: true },
    refunded_after_completion: { refundAfterMs: 2_000 },
  };
  for (const scenario of SCENARIO_NAMES.filter(isOrderScenario))
    assert.deepEqual(orderFate(scenario), { ...ORDINARY_FATE, scenario, ...special[scenario] });
});
