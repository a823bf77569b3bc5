import { escapeText } from "../../lib/escape-text.ts";
import type { Cell } from "./table.ts";
import { paint } from "./terminal.ts";

/** An object for people, one line per field. Undefined fields are left out. */
export function fields(pairs: readonly (readonly [string, Cell | undefined])[]): string {
  const known = pairs.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const width = Math.max(...known.map(({ name }) => name.length));
  return known.map(({ name, value }) => `${paint("dim", name.padEnd(width))}  ${show(value)}`).join("\n");
}

const show = (value: Cell): string =>
  typeof value === "string" ? escapeText(value) : paint(value.style, escapeText(value.text));
