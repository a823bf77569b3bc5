import { isOrderScenario, type OrderScenario, type Scenario } from "./scenarios.ts";

/** What is stored with an order at its acceptance about how it is to end. A live order has the ordinary fate. */
export type OrderFate = {
  /** For the plan of each test unit, and for the operator to see. */
  scenario: OrderScenario | null;
  /** Its refund is on hold from the start. */
  refundHeld: boolean;
  /** How long after its completion it is refunded; null is never. */
  refundAfterMs: number | null;
};

export const ORDINARY_FATE: OrderFate = { scenario: null, refundHeld: false, refundAfterMs: null };

/** How long an order is seen to be completed before it is refunded. */
const REFUND_AFTER_MS = 2_000;

/** The one place where a scenario becomes what workers read. Only a test key's request has a scenario. */
export function orderFate(scenario: Scenario | undefined): OrderFate {
  if (scenario === undefined || !isOrderScenario(scenario)) return ORDINARY_FATE;
  return {
    scenario,
    refundHeld: scenario === "failed",
    refundAfterMs: scenario === "refunded_after_completion" ? REFUND_AFTER_MS : null,
  };
}
