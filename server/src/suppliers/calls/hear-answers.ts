import type { Json } from "../../lib/strict-json.ts";
import type { LookUpOutcome, Said } from "../supplier.ts";
import type { HttpAnswer } from "./supplier-http.ts";
import type { CallLimit } from "./throttle.ts";

type Answered = HttpAnswer & { kind: "answer" };
type Caller<Call, Unsent> = { call(call: Call, limit: CallLimit): Promise<HttpAnswer | Unsent> };

/** The status word and the id in one answer, as this supplier names them. */
export type ReadWords = (answer: Answered) => Partial<Record<"word" | "upstreamId", string | undefined>>;

/**
 * Notes what a supplier says in its own words while one purchase or look-up is asked. Of several answers the last one counts that
 * has a status word and an id, or else a word.
 */
export async function hearAnswers<Call, Unsent extends { kind: "not_sent" }, Outcome extends LookUpOutcome>(
  client: Caller<Call, Unsent>,
  read: ReadWords,
  ask: (client: Caller<Call, Unsent>) => Promise<Outcome>,
): Promise<Outcome> {
  const heard: Answered[] = [];
  const outcome = await ask({
    async call(call, limit) {
      const answer = await client.call(call, limit);
      if (answer.kind === "answer") heard.push(answer);
      return answer;
    },
  });
  const worded =
    heard.findLast((answer) => read(answer).word !== undefined && read(answer).upstreamId !== undefined) ??
    heard.findLast((answer) => read(answer).word !== undefined) ??
    heard.at(-1);
  if (!worded) return outcome;
  const word = plainWord(read(worded).word, heard.flatMap(otherTexts));
  const upstreamId = heard.map((answer) => read(answer).upstreamId).findLast((id) => id !== undefined);
  const said: Said = {
    httpStatus: worded.status,
    ...(word === undefined ? {} : { word }),
    ...(upstreamId === undefined ? {} : { upstreamId }),
    ...outcome.said,
  };
  return { ...outcome, said };
}

const WORD = /^[A-Za-z0-9 _-]{1,40}$/;
/** More could be an account, a telephone number or a code. */
const DIGITS_MAX = 7;
/** Shorter texts are in too many words by chance. */
const PART_MIN_CHARACTERS = 6;

/** A status word that can be kept: short, plain, and without any other text of the answers, which may be a code. */
export function plainWord(word: string | undefined, otherTexts: readonly string[]): string | undefined {
  if (word === undefined || !WORD.test(word) || word.replaceAll(/\D/g, "").length > DIGITS_MAX)
    return undefined;
  const bare = lettersOf(word);
  const isElsewhere = otherTexts
    .map(lettersOf)
    .some((text) => text === bare || (text.length >= PART_MIN_CHARACTERS && bare.includes(text)));
  return bare === "" || isElsewhere ? undefined : word;
}

const lettersOf = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();

/** Members whose texts are words of the supplier and no goods. */
const WORDED: ReadonlySet<string> = new Set(["status", "errors", "errorCode"]);

const otherTexts = ({ status, body }: Answered): string[] => [
  ...textsIn(body ?? null, status >= 400 ? new Set([...WORDED, "code"]) : WORDED),
];

function* textsIn(json: Json, passedOver: ReadonlySet<string>): Iterable<string> {
  if (typeof json === "string") yield json;
  else if (Array.isArray(json)) for (const one of json) yield* textsIn(one, passedOver);
  else if (typeof json === "object" && json !== null)
    for (const [key, value] of Object.entries(json))
      if (!passedOver.has(key)) yield* textsIn(value, passedOver);
}
