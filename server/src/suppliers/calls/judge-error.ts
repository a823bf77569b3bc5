import type { FailureCode, PurchaseOutcome } from "../supplier.ts";
import { CONFLICT, UNUSABLE, unknownBecauseOf } from "./read-answer.ts";
import type { HttpAnswer } from "./supplier-http.ts";

type Refused = PurchaseOutcome & { kind: "refused" };

/** What a supplier says in an error, and what its known codes mean. */
export type ToldError = {
  code: string | undefined;
  message: string | undefined;
  refusal: Refused | undefined;
  /** Its code says that our reference was used before. */
  isConflict: boolean;
};

/** A purchase that was refused, unless a look-up finds it, now or when it has had time to become visible. */
export type Doubted = { kind: "doubted"; refusal: Refused };

/** Statuses with which a server refuses a request. */
const REFUSING = [400, 402, 404, 409, 412, 422];
const REPEATED = /duplicate|already|in use|been used|not unique/i;

export const refused = (failureCode: FailureCode, supplierFault = false): Refused => ({
  kind: "refused",
  failureCode,
  supplierFault,
});

/**
 * What an error in answer to a purchase means. A known code is believed. Any other refusal is `doubted`: the caller looks the
 * purchase up, and what it does not find yet may still become visible. An error that may be about our reference proves nothing.
 */
export function judgePurchaseError(answer: HttpAnswer, told: ToldError): PurchaseOutcome | Doubted {
  if (answer.kind === "lost") return unknownBecauseOf(answer);
  const { status } = answer;
  if (told.isConflict || REPEATED.test(`${told.code ?? ""} ${told.message ?? ""}`)) return CONFLICT;
  if (!REFUSING.includes(status) && status !== 403) return unknownBecauseOf(answer);
  if (told.refusal) return told.refusal;
  // A conflict may be about our reference, and what was not found may be the path.
  if (status === 409) return CONFLICT;
  if (status === 404) return unknownBecauseOf(answer);
  if (told.code === undefined && told.message === undefined) return unknownBecauseOf(answer);
  const refusal = status === 402 || status === 403 ? UNUSABLE : refused("rejected_by_issuer");
  return { kind: "doubted", refusal: { ...refusal, isDoubted: true } };
}
