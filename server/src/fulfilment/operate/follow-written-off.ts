import { idsOf } from "../../lib/ids.ts";
import { type BuyDeps, keyOf } from "../buy/ask-supplier.ts";
import { lookUpAttempt } from "../buy/look-up-purchase.ts";
import { notesOf } from "../judge/judge-answer.ts";
import { lookPauseMs } from "../limits.ts";
import type { UnitOutcome } from "../settle/decide-settlement.ts";
import type { SettleDeps } from "../settle/settle-orders.ts";
import { settleOutcomes } from "../settle/settle-outcomes.ts";
import { lockOrder } from "./operator-queries.ts";
import { listWrittenOff, postponeLook, type WrittenOff } from "./written-off-queries.ts";

/** How many are looked up in one run. */
const FOLLOWED_MAX = 16;

/**
 * Looks up purchases that count as not made, and those that were written off, by the operator or with an order that is delivered
 * whole or not at all and failed. Their units go on without them, so codes that arrive go to quarantine.
 * Nothing is sent again. True when there may be more.
 */
export async function followWrittenOff(deps: BuyDeps & SettleDeps): Promise<boolean> {
  const due = await claim(deps);
  for (const attempt of due) await follow(deps, attempt);
  return due.length === FOLLOWED_MAX;
}

/** Takes those that are due and postpones them, so that a worker that dies needs no cleanup. */
const claim = ({ db, clock, limits }: BuyDeps): Promise<WrittenOff[]> =>
  db.transaction(async (tx) => {
    const now = clock.now();
    const due = await listWrittenOff(tx, now, FOLLOWED_MAX);
    for (const attempt of due) {
      const nextMs = now.getTime() + limits.callTimeoutMs + lookPauseMs(limits, attempt.looks);
      await postponeLook(tx, attempt, new Date(nextMs));
    }
    return due;
  });

async function follow(deps: BuyDeps & SettleDeps, attempt: WrittenOff): Promise<void> {
  const outcome = await followOutcome(deps, attempt);
  // The order may be finished, so there is no lease. Its lock keeps out other changes.
  await deps.db.transaction(async (tx) => {
    await lockOrder(tx, attempt.orderId);
    await settleOutcomes(tx, deps.codeVault, [outcome], idsOf(deps.clock), deps.clock.now());
  });
}

/** What a supplier knows of a purchase that was written off. */
export async function followOutcome(deps: BuyDeps, attempt: WrittenOff): Promise<UnitOutcome> {
  const found = await lookUpAttempt(deps, attempt, attempt);
  if (found.kind !== "not-found") return found;
  const { productId, number, supplierId, lastSentAt } = attempt;
  const notes = notesOf(attempt);
  const { askedAt, said } = found;
  const about = { unit: keyOf(attempt), productId, number, said };
  const ageMs = askedAt.getTime() - (lastSentAt ?? askedAt).getTime();
  if (ageMs < deps.limits.writtenOffLookMs) return { ...about, ...notes, kind: "open", dueAt: askedAt };
  // Still not found after all this time: nothing was bought.
  return attempt.status === "not_made"
    ? { ...about, ...notes, kind: "not-made", supplierId, isConfirmed: true, dueAt: askedAt }
    : { ...about, kind: "refused", failureCode: "temporarily_unavailable" };
}
