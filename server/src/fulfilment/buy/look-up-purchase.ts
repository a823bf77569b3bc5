import { keptAnswer } from "../../suppliers/answer-class.ts";
import { mapFields } from "../../suppliers/calls/map-fields.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import { judgeHeld, judgeLookedUp, type SendAgain } from "../judge/judge-answer.ts";
import type { SupplierSaid, UnitOutcome } from "../settle/decide-settlement.ts";
import { lockTakenOrders } from "../settle/settle-queries.ts";
import type { Attempt, DueUnit, TakenOrder } from "../take/order-work.ts";
import { ask, type BuyDeps, keyOf, machineTime, toOutcome, wait } from "./ask-supplier.ts";
import { markSentAgain } from "./attempt-queries.ts";
import { guardPrice } from "./guard-price.ts";
import { referenceOf } from "./reference.ts";
import { send } from "./send-purchase.ts";
import { isEnabled } from "./supplier-gate.ts";

/** Finds the outcome of an attempt. What the supplier does not know is sent again under the same reference. */
export async function lookUp(
  deps: BuyDeps,
  token: string,
  { isDoomed }: TakenOrder,
  unit: DueUnit,
  attempt: Attempt,
): Promise<UnitOutcome> {
  const found = await lookUpAttempt(deps, unit, attempt);
  if (found.kind !== "send-again") return found;
  if (isDoomed) return abandon(unit, attempt);
  const startedAt = machineTime(deps);
  const now = deps.clock.now();
  const next = await deps.db.transaction(async (tx) => {
    const mine = await lockTakenOrders(tx, [{ orderId: unit.orderId, token }]);
    if (mine.length === 0) return "wait";
    if (!(await isEnabled(tx, attempt.supplierId, unit.productId))) return "hold";
    return (await markSentAgain(tx, unit, attempt.number, now)) ? "send" : "wait";
  });
  if (next === "wait") return wait(deps, unit);
  if (next === "hold") {
    const held = toOutcome(deps, unit, attempt, judgeHeld(attempt, now, deps.limits));
    return { ...held, said: found.said };
  }
  const sent = await send(deps, unit, { ...attempt, doubtful: true, lastSentAt: now }, startedAt);
  return "said" in sent ? { ...sent, said: { ...sent.said, ...found.said } } : sent;
}

/** Another unit of an order that is delivered whole or not at all has failed. To send again would buy what must be taken back. */
const abandon = (unit: DueUnit, { number }: Attempt): UnitOutcome => ({
  unit: keyOf(unit),
  productId: unit.productId,
  kind: "give-up",
  failureCode: "temporarily_unavailable",
  number,
});

/** What the supplier knows of an attempt. */
export async function lookUpAttempt(
  deps: BuyDeps,
  unit: Pick<DueUnit, keyof UnitKey | "productId" | "inputFields">,
  attempt: Attempt,
): Promise<UnitOutcome | (SendAgain & { said: SupplierSaid })> {
  const reference = referenceOf(unit, attempt.number);
  const asked = {
    sku: attempt.sku,
    ...(attempt.value === null ? {} : { value: attempt.value }),
    inputFields: mapFields(unit.inputFields, attempt.fieldMap) ?? null,
  };
  const answer = await ask(deps, attempt.supplierId, (supplier) =>
    supplier.lookUp(reference, attempt.upstreamId ?? undefined, asked),
  );
  const judgement = judgeLookedUp(attempt, answer, deps.clock.now(), deps.limits);
  const price = await guardPrice(deps, unit, attempt, answer);
  const said = { look: keptAnswer(answer) };
  return judgement.kind === "send-again"
    ? { ...judgement, said }
    : { ...toOutcome(deps, unit, attempt, judgement), ...price, said };
}
