import type { LookUpOutcome, Said } from "./supplier.ts";

export const NOT_FOUND = "not_found";

/** The database refuses anything else, so that nothing of an answer gets into it. */
const CLASS = /^[a-z_]{1,40}$/;

/**
 * What a supplier answered, as one word of our own: `delivered`, `accepted`, `refused`, `not_found`, or why the answer proves nothing,
 * such as `timeout`. It is kept with the purchase and shown to staff. It quotes nothing of the answer.
 */
function answerClass(answer: LookUpOutcome): string {
  if (answer.kind !== "unknown") return answer.kind;
  const word = answer.reason.replaceAll(" ", "_");
  return CLASS.test(word) ? word : "nonsense";
}

/** What is kept of an answer with its purchase: our class of it, and what the supplier said in its own words. */
export type KeptAnswer = Said & { answer: string };

/** The database refuses another status, and with it all that is written with it. A server can answer with any three digits. */
const isHttpStatus = (status: number): boolean => status >= 100 && status <= 599;

export function keptAnswer(answer: LookUpOutcome): KeptAnswer {
  const { httpStatus, ...said } = answer.said ?? {};
  return {
    ...(answer.kind === "accepted" ? { state: "pending" } : {}),
    ...said,
    ...(httpStatus !== undefined && isHttpStatus(httpStatus) ? { httpStatus } : {}),
    answer: answerClass(answer),
  };
}
