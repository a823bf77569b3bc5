import { readReference } from "../deposits/reference.ts";
import { isWellFormedKey } from "../keys/key-format.ts";

/** What a person typed, as everything that it could be. */
export type Term = {
  text: string;
  /** The prefix of an id of ours, such as `ord`. */
  prefix: string | undefined;
  unit: { orderId: string; lineIndex: number; unitIndex: number; number: number | undefined } | undefined;
  /** A whole API key. It is looked for by its digest and shown nowhere. */
  isKey: boolean;
  /** The end of an API key, which is all that is shown of one. */
  keyEnd: { lastFour: string; environment: "live" | "test" | undefined } | undefined;
  email: string | undefined;
  /** The reference of a deposit, however it was typed. */
  reference: string | undefined;
  /** Words of a name, each perhaps only its beginning. */
  words: readonly string[];
};

export const TERM_MAX_CHARACTERS = 255;
const WORDS_MAX = 8;
const WORD_MAX_CHARACTERS = 60;
const ID = /^([a-z]{3})_[0-9a-z]{4,26}$/;
/** As suppliers know a purchase, and as pages show a unit: order, line, unit and perhaps the number of the purchase. */
const UNIT = /^(ord_[0-9a-z]{26})[./](\d{1,4})[./](\d{1,6})(?:[./](\d{1,4}))?$/;
const KEY_END = /^(?:sc_(live|test)_)?(?:…|\.{2,3}|\*+)?([0-9A-Za-z]{4})$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Undefined when nothing was typed. */
export function readTerm(typed: string): Term | undefined {
  const text = typed.replaceAll("\0", "").toWellFormed().trim().slice(0, TERM_MAX_CHARACTERS);
  if (text === "") return undefined;
  const isKey = isWellFormedKey(text);
  return {
    text,
    prefix: ID.exec(text)?.[1],
    unit: readUnit(text),
    isKey,
    keyEnd: isKey ? undefined : readKeyEnd(text),
    email: EMAIL.test(text) ? text.toLowerCase() : undefined,
    reference: readReference(text),
    words: isKey ? [] : readWords(text),
  };
}

function readUnit(text: string): Term["unit"] {
  const [, orderId, lineIndex, unitIndex, number] = UNIT.exec(text) ?? [];
  if (orderId === undefined) return undefined;
  return {
    orderId,
    lineIndex: Number(lineIndex),
    unitIndex: Number(unitIndex),
    number: number === undefined ? undefined : Number(number),
  };
}

function readKeyEnd(text: string): Term["keyEnd"] {
  const match = KEY_END.exec(text);
  if (!match) return undefined;
  const [, environment, lastFour = ""] = match;
  return {
    lastFour,
    environment: environment === "live" || environment === "test" ? environment : undefined,
  };
}

/** Only letters and digits, so that nothing of them means anything in a text search. */
const readWords = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, WORDS_MAX).map((word) => word.slice(0, WORD_MAX_CHARACTERS));
