import { chip, type Tone, toneOf } from "../web/parts/chip.ts";
import type { Html } from "../web/template/html.ts";

/** Words of the API that read badly with spaces alone. */
const WORDS: Readonly<Record<string, string>> = { top_up: "top-up" };

/** `gift_card` as a person writes it: "gift card". Codes and ids stay as they are: this is for states, kinds and reasons. */
export const plainWord = (word: string): string => WORDS[word] ?? word.replaceAll("_", " ");

/** A state in plain words, in the tone that its API word has. */
export const wordChip = (word: string, tone: Tone = toneOf(word)): Html => chip(plainWord(word), tone);
