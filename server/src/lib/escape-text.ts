/**
 * Characters that do not print, or that change how their neighbours print: controls, formats (which include the
 * bidirectional ones), line and paragraph separators, lone surrogates.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Makes text from elsewhere safe to print: a terminal obeys nothing of it, and what is read is what is stored. */
export const escapeText = (text: string): string =>
  text.replaceAll(UNPRINTABLE, (character) => `\\u{${hexOf(character)}}`);

/** The same for a JSON document: it reads back as the same values, and only line breaks between members stay. */
export const escapeJson = (json: string): string =>
  json.replaceAll(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu, (character) =>
    [...character]
      .flatMap((one) => Array.from({ length: one.length }, (_, index) => one.charCodeAt(index)))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );

const hexOf = (character: string): string => (character.codePointAt(0) ?? 0).toString(16);
