import type { NotFoundRule } from "../../suppliers/look-ups/not-found-rule.ts";
import type { FailureCode, PurchaseOutcome } from "../../suppliers/supplier.ts";
import { type FulfilmentLimits, lookPauseMs } from "../limits.ts";
import type { AttemptNotes } from "../settle/decide-settlement.ts";
import type { Attempt } from "../take/order-work.ts";

/** What an answer means for an attempt. */
export type Judgement =
  | { kind: "bought"; answer: PurchaseOutcome & { kind: "delivered" } }
  | { kind: "refused"; failureCode: FailureCode }
  /** The supplier never took it. Until `dueAt` it waits for a person, if too many of that supplier count as not made. */
  | ({ kind: "not-made"; isConfirmed: boolean; dueAt: Date } & AttemptNotes)
  | ({ kind: "open"; dueAt: Date } & AttemptNotes);

/** The supplier does not know it, and it has had time to arrive: send it again under the same reference. */
export type SendAgain = { kind: "send-again" } & AttemptNotes;

/**
 * Whether the supplier's books can be believed when they lack a purchase. `agree`: they show another one that we know was delivered, or
 * none was lately. `differ`: they lack that one too. `unread`: nobody knows.
 */
export type Books = "agree" | "differ" | "unread";

/** A look-up that did not find the purchase. */
export type Search = { askedAt: Date; books: Books; rule: NotFoundRule };

type Known = Pick<Attempt, keyof AttemptNotes | "looks" | "lastSentAt">;

/**
 * After the purchase was sent. A refusal is believed at once only if no earlier answer was lost and its words are known. Otherwise a
 * request may still arrive or become visible, and the purchase is looked up once more after that time. Refused credentials then say
 * nothing: the purchase stays open until the supplier accepts them again, and is asked for under its own reference.
 * `rule`: that of the supplier, once a look-up has not found the purchase.
 */
export function judgeSent(
  attempt: Known,
  answer: PurchaseOutcome,
  now: Date,
  limits: FulfilmentLimits,
  rule?: NotFoundRule,
): Judgement {
  switch (answer.kind) {
    case "delivered":
      return { kind: "bought", answer };
    case "refused":
      if (!attempt.doubtful && !answer.isDoubted) return { kind: "refused", failureCode: answer.failureCode };
      if (answer.isUnheard) return stillOpen(attempt, UNHEARD, now, limits, rule);
      return {
        ...notesOf(attempt),
        kind: "open",
        doubtful: true,
        doubtedFailureCode: answer.failureCode,
        dueAt: later(now, limits.arrivalMs),
      };
    default:
      return stillOpen(attempt, answer, now, limits, rule);
  }
}

/** After a look-up that found it. What the supplier says of a purchase that it knows is final. */
export function judgeFound(
  attempt: Known,
  answer: PurchaseOutcome,
  now: Date,
  limits: FulfilmentLimits,
): Judgement {
  switch (answer.kind) {
    case "delivered":
      return { kind: "bought", answer };
    case "refused":
      return { kind: "refused", failureCode: answer.failureCode };
    default:
      return stillOpen(attempt, answer, now, limits);
  }
}

/**
 * After a look-up that did not find it (CONTRACT 8). It counts only when it was asked after the last send and the supplier's lag, and
 * when the supplier's books agree. One that counts has the purchase sent again, until there are enough of them over enough time.
 */
export function judgeNotFound(
  attempt: Known,
  { askedAt, books, rule }: Search,
  now: Date,
  limits: FulfilmentLimits,
): Judgement | SendAgain {
  const notes = notesOf(attempt);
  const sentAt = attempt.lastSentAt ?? now;
  const open = (changed: Partial<AttemptNotes> = {}): Judgement => {
    const noted = { ...notes, ...changed };
    return { ...noted, kind: "open", dueAt: nextLook({ ...attempt, ...noted }, now, limits, rule) };
  };
  if (askedAt < later(sentAt, rule.resendAfterMs) || books === "unread") return open();
  const { notFoundState, doubtedFailureCode } = notes;
  if (notFoundState === "confirmed") return { ...notes, kind: "not-made", isConfirmed: true, dueAt: now };
  if (books === "differ") return open({ notFoundState: "books_differ" });
  if (notFoundState === "too_many") return open();
  if (doubtedFailureCode !== null)
    return askedAt < later(sentAt, limits.arrivalMs)
      ? open()
      : { kind: "refused", failureCode: doubtedFailureCode };
  const notFoundSince = notes.notFoundSince ?? askedAt;
  const counted: AttemptNotes = {
    ...notes,
    notFoundLooks: notes.notFoundLooks + 1,
    notFoundSince,
    notFoundState: null,
  };
  const isEnough =
    counted.notFoundLooks >= rule.times && askedAt.getTime() - notFoundSince.getTime() >= rule.overMs;
  return isEnough
    ? { ...counted, kind: "not-made", isConfirmed: false, dueAt: later(now, limits.lookMaxMs) }
    : { ...counted, kind: "send-again" };
}

/**
 * The purchase would be sent again, but the operator does not buy from this supplier now. It may still become visible there, so it stays
 * open and is looked up.
 */
export const judgeHeld = (
  attempt: Known,
  now: Date,
  limits: FulfilmentLimits,
  rule: NotFoundRule,
): Judgement => ({
  ...notesOf(attempt),
  kind: "open",
  dueAt: nextLook(attempt, now, limits, rule),
});

const UNHEARD = { kind: "unknown", reason: "not_authorized" } as const;

function stillOpen(
  attempt: Known,
  answer: PurchaseOutcome & { kind: "accepted" | "unknown" },
  now: Date,
  limits: FulfilmentLimits,
  rule?: NotFoundRule,
): Judgement {
  const notes = notesOf(attempt);
  if (answer.kind === "unknown") {
    const dueAt = rule
      ? nextLook(attempt, now, limits, rule)
      : later(now, lookPauseMs(limits, attempt.looks));
    return { ...notes, kind: "open", doubtful: true, dueAt };
  }
  return {
    ...notes,
    kind: "open",
    upstreamId: answer.upstreamId,
    doubtedFailureCode: null,
    // It knows the purchase.
    notFoundLooks: 0,
    notFoundSince: null,
    notFoundState: null,
    dueAt: later(now, lookPauseMs(limits, attempt.looks)),
  };
}

/**
 * After a pause that doubles, and no later than the next look-up can decide: the first one after the lag, and then the one that is
 * enough.
 */
function nextLook(
  { looks, lastSentAt, notFoundSince, notFoundState, doubtedFailureCode }: Known,
  now: Date,
  limits: FulfilmentLimits,
  rule: NotFoundRule,
): Date {
  const pauseMs = lookPauseMs(limits, looks);
  if (notFoundState === "too_many") return later(now, pauseMs);
  const shareMs = Math.max(rule.overMs / rule.times, limits.lookFirstMs);
  const sentAt = lastSentAt ?? now;
  const visibleAt = later(sentAt, rule.resendAfterMs);
  const enoughAt = later(notFoundSince ?? sentAt, notFoundSince === null ? 0 : rule.overMs);
  const moments = [
    visibleAt > enoughAt ? visibleAt : enoughAt,
    ...(doubtedFailureCode === null ? [] : [later(sentAt, limits.arrivalMs)]),
  ].filter((moment) => moment > now);
  return [later(now, Math.min(pauseMs, shareMs)), ...moments].reduce((first, one) =>
    one < first ? one : first,
  );
}

export const notesOf = ({
  upstreamId,
  doubtful,
  doubtedFailureCode,
  notFoundLooks,
  notFoundSince,
  notFoundState,
}: Known): AttemptNotes => ({
  upstreamId,
  doubtful,
  doubtedFailureCode,
  notFoundLooks,
  notFoundSince,
  notFoundState,
});

const later = (time: Date, ms: number): Date => new Date(time.getTime() + ms);
