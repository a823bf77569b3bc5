import { randomInt } from "node:crypto";
import type { Tenant } from "../http/caller.ts";

/**
 * A payment reference is an ISO 11649 creditor reference: `RF`, two check digits (mod 97), and a body. The body is `D` (`T` in the
 * sandbox) and eleven characters of an alphabet without I, L, O and U, 55 random bits.
 */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_CHARACTERS = 11;
const MARKS: Readonly<Record<Tenant["environment"], string>> = { live: "D", test: "T" };
const REFERENCE = /^RF\d{2}[DT][0-9A-HJKMNP-TV-Z]{11}$/;
/** Whatever people and banks put between the characters. */
const GAPS = String.raw`[\s\p{Pd}._/]{0,3}`;
/** One reference somewhere in a text, with gaps, and with the letters that are easily taken for digits. */
const SOMEWHERE = new RegExp(
  `(?=(R${GAPS}F(?:${GAPS}[0-9OIL]){2}${GAPS}[DT](?:${GAPS}[0-9A-Z]){${RANDOM_CHARACTERS}}))`,
  "gu",
);

export function createReference(environment: Tenant["environment"]): string {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]);
  const body = `${MARKS[environment]}${random.join("")}`;
  const digits = 98n - remainder(`${body}RF00`);
  return `RF${digits.toString().padStart(2, "0")}${body}`;
}

export const isReference = (text: string): boolean => REFERENCE.test(text) && remainder(rotated(text)) === 1n;

/** What a person typed, as a reference: gaps, hyphens and lower case do not matter. Undefined if it is none. */
export function readReference(typed: string): string | undefined {
  const reference = canonical(typed);
  return isReference(reference) ? reference : undefined;
}

export type FoundReferences = {
  /** Each valid reference in the text, once. */
  valid: string[];
  /** Whether the text has something that looks like a reference and has wrong check digits. */
  hasWrongDigits: boolean;
};

/** References in the remittance text of a payment, where people put words before and after them. */
export function findReferences(text: string): FoundReferences {
  const upper = text.normalize("NFKC").toUpperCase();
  const valid = new Set<string>();
  let hasWrongDigits = false;
  for (const match of upper.matchAll(SOMEWHERE)) {
    const reference = canonical(match[1] ?? "");
    if (isReference(reference)) valid.add(reference);
    else if (!/[\p{L}\p{N}]/u.test(upper.charAt(match.index - 1))) hasWrongDigits = true;
  }
  return { valid: [...valid], hasWrongDigits };
}

/** In groups of four, as people read it. */
export const showReference = (reference: string): string => reference.replaceAll(/(.{4})(?=.)/g, "$1 ");

export const isTestReference = (reference: string): boolean => reference.charAt(4) === MARKS.test;

function canonical(typed: string): string {
  const bare = typed
    .normalize("NFKC")
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}._/]/gu, "");
  const [start, rest] = [bare.slice(0, 2), bare.slice(2)];
  return `${start}${rest.replaceAll("O", "0").replaceAll(/[IL]/g, "1")}`;
}

const rotated = (reference: string): string => `${reference.slice(4)}${reference.slice(0, 4)}`;

/** ISO 7064 mod 97-10: letters count as 10 to 35. */
const remainder = (text: string): bigint =>
  BigInt(text.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))) % 97n;
