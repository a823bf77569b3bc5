import { styleText } from "node:util";

/** How wide a line may be: the terminal's width, or what COLUMNS says. Unbounded for a file or a pipe. */
export function lineWidth(): number {
  const asked = Number.parseInt(process.env.COLUMNS ?? "", 10);
  if (asked >= WIDTH_MIN) return asked;
  return process.stdout.isTTY ? Math.max(process.stdout.columns, WIDTH_MIN) : Number.POSITIVE_INFINITY;
}

/** Below this nothing is readable, and a terminal that says so does not know its size. */
const WIDTH_MIN = 40;

export type Style = "bold" | "dim" | "red" | "green" | "yellow";

/** Colored if the terminal shows colors: never in a pipe or with NO_COLOR. */
export const paint = (style: Style, text: string): string =>
  styleText(style, text, { stream: process.stdout });

/** The same for standard error. */
export const paintError = (style: Style, text: string): string =>
  styleText(style, text, { stream: process.stderr });

/** How many columns of the terminal a text takes: combining marks none, wide characters two. */
export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

const NARROW = /^[\x20-\x7e]*$/;
const MARK = /\p{M}/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Cuts a text to so many columns; the last of them shows that something is missing. */
export function cutTo(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let cut = "";
  let used = 0;
  for (const character of text) {
    used += displayWidth(character);
    if (used > width - 1) break;
    cut += character;
  }
  return `${cut}…`;
}
