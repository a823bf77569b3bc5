import type { SupplierOffer } from "../supplier.ts";

/** Names that no reseller may read: of suppliers, and of their kinds. */
export type HiddenNames = ReadonlySet<string>;

const BRAND_MAX_CHARACTERS = 32;
/** A shorter name inside of a word is an accident. */
const INSIDE_MIN_CHARACTERS = 5;
/** No name has more words. */
const WORDS_MAX = 8;
const FALLBACK = "card";

export const hideNames = (names: readonly string[]): HiddenNames =>
  new Set(names.map(joined).filter((name) => name !== ""));

/** `nimbus-us-10`: brand, country and value. Never the supplier, its kind or its number. */
export function proposeId(offer: SupplierOffer, hidden: HiddenNames): string {
  const { sku, name, brand, country = "", face } = offer;
  const value = slug(face.amount);
  const said = new Set([sku.toLowerCase(), value, country.toLowerCase(), face.currency.toLowerCase()]);
  const named =
    brandPart(withoutNames(brand ?? "", hidden), new Set([sku.toLowerCase()]), hidden) ||
    brandPart(withoutNames(name, hidden), said, hidden) ||
    FALLBACK;
  return [named, country.toLowerCase(), value].filter((part) => part !== "").join("-");
}

/** An id that is free: with a number, if the plain one is taken. It is taken from then on. */
export function takeId(base: string, taken: Set<string>): string {
  let id = base;
  for (let number = 2; taken.has(id); number += 1) id = `${base}-${number}`;
  taken.add(id);
  return id;
}

/** The text without the hidden names, however they are spaced or capitalized: "DT-One Gems" is "Gems". */
export function withoutNames(text: string, hidden: HiddenNames): string {
  const words = [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].map(({ 0: word, index }) => ({
    ...{ start: index, end: index + word.length },
    letters: joined(word),
  }));
  for (const [first, { start }] of words.entries()) {
    let letters = "";
    for (const word of words.slice(first, first + WORDS_MAX)) {
      letters += word.letters;
      if (!hidden.has(letters)) continue;
      const rest = `${text.slice(0, start)} ${text.slice(word.end)}`.replace(/\s+/g, " ");
      return withoutNames(rest.replace(/^[\s\p{P}]+|\s+$/gu, ""), hidden);
    }
  }
  return text;
}

function brandPart(text: string, said: ReadonlySet<string>, hidden: HiddenNames): string {
  const inside = [...hidden].filter((name) => name.length >= INSIDE_MIN_CHARACTERS);
  const clean = inside.reduce((parts, name) => parts.replaceAll(name, ""), slug(text));
  const parts = clean.split("-").filter((part) => part !== "" && !said.has(part));
  return parts.join("-").slice(0, BRAND_MAX_CHARACTERS).replace(/-$/, "");
}

/** Letters of other alphabets are left out, and accents dropped. */
const slug = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

const joined = (text: string): string => slug(text).replaceAll("-", "");
