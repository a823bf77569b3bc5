import type { FailureCode } from "../suppliers/supplier.ts";
import type { OrderScenario } from "./scenarios.ts";

/** What the sandbox does for a unit instead of calling a supplier. */
export type TestUnitPlan =
  | { kind: "make-test-code" }
  | { kind: "wait"; until: Date }
  | { kind: "give-up"; failureCode: FailureCode };

export type TestUnitInput = {
  scenario: OrderScenario | null;
  createdAt: Date;
  /** Whether it is the last unit of the order's last line. */
  isLast: boolean;
  /** Whether the order is all or nothing. */
  allOrNothing?: boolean;
  now: Date;
};

const DELAY_MS = 20_000;
const NEVER = new Date("9999-12-31T00:00:00Z");
const REFUSED: TestUnitPlan = { kind: "give-up", failureCode: "rejected_by_issuer" };
const DELIVERED: TestUnitPlan = { kind: "make-test-code" };

export function planTestUnit({
  scenario,
  createdAt,
  isLast,
  allOrNothing,
  now,
}: TestUnitInput): TestUnitPlan {
  switch (scenario) {
    case "failed":
    case "refunded":
      return REFUSED;
    case "partial":
      return isLast || allOrNothing ? REFUSED : DELIVERED;
    case "delayed": {
      const until = new Date(createdAt.getTime() + DELAY_MS);
      return now < until ? { kind: "wait", until } : DELIVERED;
    }
    case "stuck":
      return { kind: "wait", until: NEVER };
    case "refunded_after_completion":
    case "webhook_duplicate":
    case "webhook_late":
    case "webhook_bad_signature":
    case null:
      return DELIVERED;
  }
}
