import { testCode } from "../../sandbox/test-code.ts";
import type { UnitOutcome } from "../settle/decide-settlement.ts";
import type { DueUnit, TakenOrder } from "../take/order-work.ts";
import type { UnitPlan } from "./plan-unit.ts";

type InstantUnit = Pick<DueUnit, "orderId" | "lineIndex" | "unitIndex" | "productId" | "productType">;

/** What needs no supplier is known at once. */
export function instantOutcome(
  order: Pick<TakenOrder, "idempotencyKey">,
  { orderId, lineIndex, unitIndex, productId, productType }: InstantUnit,
  plan: UnitPlan,
): UnitOutcome[] {
  const about = { unit: { orderId, lineIndex, unitIndex }, productId };
  switch (plan.kind) {
    case "make-test-code": {
      const code = testCode(order.idempotencyKey, lineIndex, unitIndex);
      return [{ ...about, kind: "test-code", code, type: productType === "top_up" ? "topup" : "code" }];
    }
    case "take-stock":
    case "wait":
    case "give-up":
      return [{ ...about, ...plan }];
    case "buy":
    case "look-up":
      return [];
  }
}
