import type { FailureCode, LookUpOutcome, PurchaseOutcome } from "../../suppliers/supplier.ts";
import { type FulfilmentLimits, lookPauseMs } from "../limits.ts";
import type { AttemptNotes } from "../settle/decide-settlement.ts";
import type { Attempt } from "../take/order-work.ts";

/** What an answer means for an attempt. */
export type Judgement =
  | { kind: "bought"; answer: PurchaseOutcome & { kind: "delivered" } }
  | { kind: "refused"; failureCode: FailureCode }
  | ({ kind: "open"; dueAt: Date } & AttemptNotes);

/** The supplier does not know it, and it has had time to arrive: send it again under the same reference. */
export type SendAgain = { kind: "send-again" };

type Known = Pick<Attempt, "upstreamId" | "doubtful" | "doubtedFailureCode" | "looks" | "lastSentAt">;

/**
 * After the purchase was sent. A refusal is believed at once only if no earlier answer was lost and its words are known. Otherwise a
 * request may still arrive or become visible, and the purchase is looked up once more after that time. Refused credentials then say
 * nothing: the purchase stays open until the supplier accepts them again, and is asked for under its own reference.
 */
export function judgeSent(
  attempt: Known,
  answer: PurchaseOutcome,
  now: Date,
  limits: FulfilmentLimits,
): Judgement {
  switch (answer.kind) {
    case "delivered":
      return { kind: "bought", answer };
    case "refused":
      if (!attempt.doubtful && !answer.isDoubted) return { kind: "refused", failureCode: answer.failureCode };
      if (answer.isUnheard) return stillOpen(attempt, UNHEARD, now, limits);
      return {
        ...notesOf(attempt),
        kind: "open",
        doubtful: true,
        doubtedFailureCode: answer.failureCode,
        dueAt: later(now, limits.resendDelayMs),
      };
    default:
      return stillOpen(attempt, answer, now, limits);
  }
}

/** After a look-up. What the supplier says of a purchase that it knows is final. */
export function judgeLookedUp(
  attempt: Known,
  answer: LookUpOutcome,
  now: Date,
  limits: FulfilmentLimits,
): Judgement | SendAgain {
  switch (answer.kind) {
    case "delivered":
      return { kind: "bought", answer };
    case "refused":
      return { kind: "refused", failureCode: answer.failureCode };
    case "not_found": {
      const settledAt = later(attempt.lastSentAt ?? now, limits.resendDelayMs);
      if (settledAt > now) return { ...notesOf(attempt), kind: "open", dueAt: settledAt };
      return attempt.doubtedFailureCode === null
        ? { kind: "send-again" }
        : { kind: "refused", failureCode: attempt.doubtedFailureCode };
    }
    default:
      return stillOpen(attempt, answer, now, limits);
  }
}

/**
 * The purchase would be sent again, but the operator does not buy from this supplier now. It may still become visible there, so it stays
 * open and is looked up.
 */
export const judgeHeld = (attempt: Known, now: Date, limits: FulfilmentLimits): Judgement => ({
  ...notesOf(attempt),
  kind: "open",
  dueAt: later(now, lookPauseMs(limits, attempt.looks)),
});

const UNHEARD = { kind: "unknown", reason: "not_authorized" } as const;

function stillOpen(
  attempt: Known,
  answer: PurchaseOutcome & { kind: "accepted" | "unknown" },
  now: Date,
  limits: FulfilmentLimits,
): Judgement {
  const notes = notesOf(attempt);
  const dueAt = later(now, lookPauseMs(limits, attempt.looks));
  return answer.kind === "accepted"
    ? { ...notes, kind: "open", upstreamId: answer.upstreamId, doubtedFailureCode: null, dueAt }
    : { ...notes, kind: "open", doubtful: true, dueAt };
}

const notesOf = ({ upstreamId, doubtful, doubtedFailureCode }: Known): AttemptNotes => ({
  upstreamId,
  doubtful,
  doubtedFailureCode,
});

const later = (time: Date, ms: number): Date => new Date(time.getTime() + ms);
