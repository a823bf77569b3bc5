import { keptAnswer } from "../../suppliers/answer-class.ts";
import { mapFields } from "../../suppliers/calls/map-fields.ts";
import type { NotFoundRule } from "../../suppliers/look-ups/not-found-rule.ts";
import type { PurchaseOutcome, RemoteSupplier } from "../../suppliers/supplier.ts";
import { judgeSent } from "../judge/judge-answer.ts";
import type { UnitOutcome } from "../settle/decide-settlement.ts";
import type { Attempt, DueUnit } from "../take/order-work.ts";
import { ask, type BuyDeps, machineTime, toOutcome, UNAVAILABLE } from "./ask-supplier.ts";
import { guardPrice, limitOf } from "./guard-price.ts";
import { referenceOf } from "./reference.ts";

/** `startedAt`: the machine's time before the attempt was written. `rule`: that of the supplier, when it is sent again. */
export async function send(
  deps: BuyDeps,
  unit: DueUnit,
  attempt: Attempt,
  startedAt: number,
  rule?: NotFoundRule,
): Promise<UnitOutcome> {
  const { clock, limits } = deps;
  const request = {
    reference: referenceOf(unit, attempt.number),
    sku: attempt.sku,
    ...(attempt.value === null ? {} : { value: attempt.value }),
    limit: limitOf(attempt),
  };
  const inputFields = mapFields(unit.inputFields, attempt.fieldMap);
  // A process that was suspended after it wrote the attempt must not send it now: others may have ended it. Workers' time stands still
  // while the machine sleeps, so the machine's clock is asked too. If that one has leapt, the purchase is looked up, which is safe.
  const isOverdue = () =>
    clock.now().getTime() - (attempt.lastSentAt?.getTime() ?? 0) > limits.callTimeoutMs ||
    machineTime(deps) - startedAt > limits.callTimeoutMs;
  const buy = async (supplier: RemoteSupplier) => {
    if (inputFields === undefined) return UNMAPPED;
    return isOverdue() ? OVERDUE : supplier.buy({ ...request, inputFields });
  };
  // What was never sent was never bought.
  const isFirst = attempt.sends === 1 && !attempt.doubtful;
  const answer = await ask(deps, attempt.supplierId, buy, isFirst ? NEVER_ASKED : UNAVAILABLE);
  const price = await guardPrice(deps, unit, attempt, answer);
  const judgement = judgeSent(attempt, answer, clock.now(), limits, rule);
  return { ...toOutcome(deps, unit, attempt, judgement), ...price, said: { send: keptAnswer(answer) } };
}

/** The route does not fit the product: nothing was sent. */
const UNMAPPED: PurchaseOutcome = {
  kind: "refused",
  failureCode: "temporarily_unavailable",
  supplierFault: false,
};

const OVERDUE: PurchaseOutcome = { kind: "unknown", reason: "overdue" };
const NEVER_ASKED: PurchaseOutcome = {
  kind: "refused",
  failureCode: "temporarily_unavailable",
  supplierFault: true,
};
