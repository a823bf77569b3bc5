/**
 * Characters that do not print or that change how nearby text prints: control and format characters (including
 * bidirectional ones), line and paragraph separators, lone surrogates.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Makes untrusted text safe to print: no terminal escape takes effect, and the output shows exactly what is stored.
 */
export const escapeText = (text: string): string =>
  text.replaceAll(UNPRINTABLE, (character) => `\\u{${hexOf(character)}}`);

/** The same for a JSON document. It parses to the same values; only line breaks between members remain. */
export const escapeJson = (json: string): string =>
  json.replaceAll(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu, (character) =>
    [...character]
      .flatMap((one) => Array.from({ length: one.length }, (_, index) => one.charCodeAt(index)))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );

const hexOf = (character: string): string => (character.codePointAt(0) ?? 0).toString(16);
