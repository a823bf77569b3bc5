/**
 * Control and format characters, bidirectional ones among them, and line separators. In a terminal or a table they can hide,
 * reorder or overwrite what people read, so names, references and notes do not hold them.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

export const isPlainText = (text: string): boolean => !HIDDEN.test(text);

/** Refuses text with such a character, and says which one. `what` names the text, such as "a note". */
export function assertPlainText(what: string, text: string): void {
  const found = HIDDEN.exec(text)?.[0].codePointAt(0);
  if (found === undefined) return;
  const name = `U+${found.toString(16).toUpperCase().padStart(4, "0")}`;
  throw new RangeError(`${what} must not hold line breaks, control or invisible format characters (${name})`);
}
