import assert from "node:assert/strict";
import { test } from "node:test";
import { planEventDelivery } from "./plan-event-delivery.ts";
import { isOrderScenario, SCENARIO_NAMES } from "./scenarios.ts";

test("only the three webhook scenarios change how events are delivered", () => {
  const planned = SCENARIO_NAMES.filter(isOrderScenario).flatMap((scenario) => {
    const plan = planEventDelivery(scenario);
    return plan ? [[scenario, plan]] : [];
  });
  assert.deepEqual(Object.fromEntries(planned), {
    webhook_duplicate: { sendTwice: true },
    webhook_late: { delayMs: 60_000 },
    webhook_bad_signature: { badSignature: true },
  });
  assert.equal(planEventDelivery(null), undefined);
});
