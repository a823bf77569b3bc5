import { idsOf } from "../../lib/ids.ts";
import { type BuyDeps, keyOf } from "../buy/ask-supplier.ts";
import { lookUpAttempt } from "../buy/look-up-purchase.ts";
import { lookPauseMs } from "../limits.ts";
import type { UnitOutcome } from "../settle/decide-settlement.ts";
import type { SettleDeps } from "../settle/settle-orders.ts";
import { settleOutcomes } from "../settle/settle-outcomes.ts";
import { lockOrder } from "./operator-queries.ts";
import { listWrittenOff, postponeLook, type WrittenOff } from "./written-off-queries.ts";

/** How many are looked up in one run. */
const FOLLOWED_MAX = 16;

/**
 * Looks up purchases that were written off, by the operator or with an order that is delivered whole or not at all and failed.
 * Their units have been refunded, so codes that arrive go to quarantine.
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
  const limits = { ...deps.limits, resendDelayMs: deps.limits.writtenOffLookMs };
  const found = await lookUpAttempt({ ...deps, limits }, attempt, attempt);
  if (found.kind !== "send-again") return found;
  // Still not found after all this time: nothing was bought.
  return {
    unit: keyOf(attempt),
    productId: attempt.productId,
    kind: "refused",
    number: attempt.number,
    failureCode: "temporarily_unavailable",
    said: found.said,
  };
}
