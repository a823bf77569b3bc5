import { keptAnswer } from "../../suppliers/answer-class.ts";
import { mapFields } from "../../suppliers/calls/map-fields.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import { judgeFound, judgeHeld, judgeNotFound } from "../judge/judge-answer.ts";
import type { SupplierSaid, UnitOutcome } from "../settle/decide-settlement.ts";
import { lockTakenOrders } from "../settle/settle-queries.ts";
import type { Attempt, DueUnit, TakenOrder } from "../take/order-work.ts";
import { type BuyDeps, keyOf, machineTime, toOutcome, UNAVAILABLE, wait } from "./ask-supplier.ts";
import { markSentAgain } from "./attempt-queries.ts";
import { checkBooks } from "./check-books.ts";
import { guardPrice } from "./guard-price.ts";
import { referenceOf } from "./reference.ts";
import { send } from "./send-purchase.ts";
import { isEnabled } from "./supplier-gate.ts";

/** Finds the outcome of an attempt. What the supplier does not know is sent again under the same reference, or counts as not made. */
export async function lookUp(
  deps: BuyDeps,
  token: string,
  { isDoomed }: TakenOrder,
  unit: DueUnit,
  attempt: Attempt,
): Promise<UnitOutcome> {
  const found = await lookUpAttempt(deps, unit, attempt);
  if (found.kind !== "not-found") return found;
  const search = await checkBooks(deps, attempt, found.askedAt);
  const judged = judgeNotFound(attempt, search, deps.clock.now(), deps.limits);
  const { said } = found;
  if (judged.kind !== "send-again") return { ...toOutcome(deps, unit, attempt, judged), said };
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
  const { kind: _, ...notes } = judged;
  if (next === "hold") {
    const held = judgeHeld({ ...attempt, ...notes }, now, deps.limits, search.rule);
    return { ...toOutcome(deps, unit, attempt, held), said };
  }
  const again = { ...attempt, ...notes, doubtful: true, lastSentAt: now };
  const sent = await send(deps, unit, again, startedAt, search.rule);
  return "said" in sent ? { ...sent, said: { ...sent.said, ...said } } : sent;
}

/** Another unit of an order that is delivered whole or not at all has failed. To send again would buy what must be taken back. */
const abandon = (unit: DueUnit, { number }: Attempt): UnitOutcome => ({
  unit: keyOf(unit),
  productId: unit.productId,
  kind: "give-up",
  failureCode: "temporarily_unavailable",
  number,
});

/** The supplier answered that it does not know the purchase. */
export type NotFound = { kind: "not-found"; askedAt: Date; said: SupplierSaid };

/**
 * What the supplier knows of an attempt. A look-up says nothing about the supplier's health: one purchase that it cannot tell about
 * would switch off all others.
 */
export async function lookUpAttempt(
  deps: BuyDeps,
  unit: Pick<DueUnit, keyof UnitKey | "productId" | "inputFields">,
  attempt: Attempt,
): Promise<UnitOutcome | NotFound> {
  const reference = referenceOf(unit, attempt.number);
  const asked = {
    sku: attempt.sku,
    ...(attempt.value === null ? {} : { value: attempt.value }),
    inputFields: mapFields(unit.inputFields, attempt.fieldMap) ?? null,
  };
  const opened = await deps.openSupplier(attempt.supplierId);
  const askedAt = deps.clock.now();
  const answer = opened
    ? await opened.supplier.lookUp(reference, attempt.upstreamId ?? undefined, asked)
    : UNAVAILABLE;
  const said = { look: keptAnswer(answer) };
  if (answer.kind === "not_found") return { kind: "not-found", askedAt, said };
  const judgement = judgeFound(attempt, answer, deps.clock.now(), deps.limits);
  const price = await guardPrice(deps, unit, attempt, answer);
  return { ...toOutcome(deps, unit, attempt, judgement), ...price, said };
}
