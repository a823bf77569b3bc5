/**
 * Control and format characters (including bidirectional ones) and line separators. In a terminal or a table they
 * can hide, reorder or overwrite text, so names, references and notes must not contain them.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

export const isPlainText = (text: string): boolean => !HIDDEN.test(text);

/**
 * Throws if the text contains a hidden character, and names that character. `what` describes the text, for example
 * "a note".
 */
export function assertPlainText(what: string, text: string): void {
  const found = HIDDEN.exec(text)?.[0].codePointAt(0);
  if (found === undefined) return;
  const name = `U+${found.toString(16).toUpperCase().padStart(4, "0")}`;
  throw new RangeError(
    `${what} must not contain line breaks, control characters or invisible format characters (${name})`,
  );
}
