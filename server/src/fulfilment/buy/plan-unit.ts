import { planTestUnit, type TestUnitPlan } from "../../sandbox/plan-test-unit.ts";
import type { OrderScenario } from "../../sandbox/scenarios.ts";
import type { FailureCode } from "../../suppliers/supplier.ts";
import type { FulfilmentLimits } from "../limits.ts";
import type { Attempt, DueUnit, Route } from "../take/order-work.ts";

/** The next step for a unit. */
export type UnitPlan =
  /** The sandbox calls no supplier. */
  | TestUnitPlan
  | { kind: "take-stock"; route: Route; number: number }
  | { kind: "buy"; route: Route; number: number }
  /** Find the outcome of this attempt. */
  | { kind: "look-up"; attempt: Attempt }
  | { kind: "wait"; until: Date }
  | { kind: "give-up"; failureCode: FailureCode; atLoss?: true };

export type PlanInput = {
  environment: "live" | "test";
  scenario: OrderScenario | null;
  createdAt: Date;
  allOrNothing: boolean;
  isDoomed: boolean;
  unit: Pick<DueUnit, "attempts" | "isLast">;
  /** The routes of the unit's product, in the order in which they are tried. */
  routes: readonly Route[];
  /** Suppliers that would sell the unit at a loss: nothing is bought there. */
  atLoss: readonly string[];
  now: Date;
  limits: Pick<FulfilmentLimits, "giveUpAfterMs" | "lookFirstMs">;
};

/**
 * Decides the next step for a unit. An attempt without an outcome comes first: while it might have bought the unit, no other
 * supplier is called. Another route follows only after a definitive refusal.
 */
export function planUnit(input: PlanInput): UnitPlan {
  const { createdAt, unit, routes, now, limits } = input;
  const { attempts } = unit;
  const open = attempts.find((attempt) => attempt.status === "open");
  if (open) return { kind: "look-up", attempt: open };
  if (input.isDoomed) return { kind: "give-up", failureCode: "temporarily_unavailable" };
  if (input.environment === "test") return planTestUnit({ ...input, isLast: unit.isLast });
  const last = attempts.at(-1);
  // No supplier can deliver to a wrong account.
  if (last?.failureCode === "invalid_account") return { kind: "give-up", failureCode: last.failureCode };

  const tried = new Set(attempts.map((attempt) => attempt.supplierId));
  const untried = routes.filter((route) => !tried.has(route.supplierId));
  const route = untried.find((candidate) => !candidate.paused);
  const number = (last?.number ?? 0) + 1;
  if (route) return { kind: route.hasOwnStock ? "take-stock" : "buy", route, number };
  if (untried.length === 0) {
    // The goods exist; the operator would pay for them.
    if (input.atLoss.some((supplierId) => !tried.has(supplierId)))
      return { kind: "give-up", failureCode: "temporarily_unavailable", atLoss: true };
    return { kind: "give-up", failureCode: worstOf(attempts) };
  }
  return now.getTime() - createdAt.getTime() < limits.giveUpAfterMs
    ? { kind: "wait", until: new Date(now.getTime() + limits.lookFirstMs) }
    : { kind: "give-up", failureCode: "temporarily_unavailable" };
}

/** The failure code after several refusals: the one that says most about the goods. */
function worstOf(attempts: readonly Attempt[]): FailureCode {
  const codes = new Set(attempts.map((attempt) => attempt.failureCode));
  const told: readonly FailureCode[] = ["rejected_by_issuer", "out_of_stock"];
  return told.find((code) => codes.has(code)) ?? "temporarily_unavailable";
}
