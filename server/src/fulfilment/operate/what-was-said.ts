/** What was kept of a supplier's answers to a purchase: see `Said`. */
export type KeptWords = {
  /** What its books had last. */
  toldState: "sold" | "pending" | null;
  sends: number;
  looks: number;
  sendAnswer: string | null;
  sendHttpStatus: number | null;
  sendWord: string | null;
  lookAnswer: string | null;
  lookHttpStatus: number | null;
  lookWord: string | null;
  failureCode?: string | null;
};

/** What a supplier has said of a purchase without an outcome. Who has the money, and what to do next, follow from it. */
export const SAID_CLASSES = ["sold_unreadable", "pending_there", "not_known"] as const;
export type SaidClass = (typeof SAID_CLASSES)[number];

export function classOf({ toldState }: Pick<KeptWords, "toldState">): SaidClass {
  if (toldState === "sold") return "sold_unreadable";
  return toldState === "pending" ? "pending_there" : "not_known";
}

export const CLASS_WORDS: Readonly<Record<SaidClass, string>> = {
  sold_unreadable: "sold, code unreadable",
  pending_there: "pending there",
  not_known: "not known",
};

/** Our classes of answers (`suppliers/answer-class`) in plain words. */
const ANSWER_WORDS: Readonly<Record<string, string>> = {
  accepted: "accepted",
  address_refused: "an address that is not allowed",
  busy: "too busy",
  conflict: "our reference is used already",
  connection_failed: "no connection",
  delivered: "sold",
  missing: "not there any more",
  nonsense: "an answer that cannot be used",
  not_authorized: "our credentials are refused",
  not_available: "cannot be asked",
  not_delivered: "the code is not there yet",
  not_found: "not found",
  overdue: "not sent in time",
  refused: "refused",
  sandbox: "a sandbox code",
  server_error: "an error of its server",
  timeout: "no answer in time",
  too_long: "an answer that is too long",
};

/** `accepted (SUCCESSFUL, HTTP 200)`. */
export function answerText(answer: string, httpStatus?: number | null, word?: string | null): string {
  const own = [...(word ? [word] : []), ...(httpStatus ? [`HTTP ${httpStatus}`] : [])].join(", ");
  const ours = ANSWER_WORDS[answer] ?? answer.replaceAll("_", " ");
  return own === "" ? ours : `${ours} (${own})`;
}

export const sendText = (
  kept: Pick<KeptWords, "sendAnswer" | "sendHttpStatus" | "sendWord">,
): string | undefined =>
  kept.sendAnswer === null ? undefined : answerText(kept.sendAnswer, kept.sendHttpStatus, kept.sendWord);

export const lookText = (
  kept: Pick<KeptWords, "lookAnswer" | "lookHttpStatus" | "lookWord">,
): string | undefined =>
  kept.lookAnswer === null ? undefined : answerText(kept.lookAnswer, kept.lookHttpStatus, kept.lookWord);

/** `no answer in time, then 9 look-ups: not found (HTTP 200)`. */
export function answersText(one: KeptWords): string {
  if (one.sends === 0) return one.failureCode ?? "from stock";
  const sent = sendText(one) ?? "answer not recorded";
  const again = one.sends > 1 ? ` (sent ${one.sends} times)` : "";
  const code = one.failureCode === null || one.failureCode === undefined ? "" : `, ${one.failureCode}`;
  const looked = lookText(one);
  if (looked === undefined) return `${sent}${again}${code}`;
  // Each note of an answer counts as a look, the one to the purchase too.
  const looks = Math.max(1, one.looks - 1);
  return `${sent}${again}, then ${looks} ${looks === 1 ? "look-up" : "look-ups"}: ${looked}${code}`;
}
