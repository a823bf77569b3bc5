import type { LookUpOutcome } from "./supplier.ts";

export const NOT_FOUND = "not_found";

/** The database refuses anything else, so that nothing of an answer gets into it. */
const CLASS = /^[a-z_]{1,40}$/;

/**
 * What a supplier answered, as one word of our own: `delivered`, `accepted`, `refused`, `not_found`, or why the answer proves nothing,
 * such as `timeout`. It is kept with the purchase and shown to staff. It quotes nothing of the answer.
 */
export function answerClass(answer: LookUpOutcome): string {
  if (answer.kind !== "unknown") return answer.kind;
  const word = answer.reason.replaceAll(" ", "_");
  return CLASS.test(word) ? word : "nonsense";
}
