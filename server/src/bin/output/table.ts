import { escapeText } from "../../lib/escape-text.ts";
import { cutTo, displayWidth, lineWidth, paint, type Style } from "./terminal.ts";

/** A column: its heading, or its heading and options. */
export type Column =
  | string
  | {
      heading: string;
      /** Align right, for numbers and money. */
      right?: true;
      /** Can be cut when the terminal is too narrow. Never an id or money. */
      cut?: true;
      /** Left out when it is empty, or when the terminal is too narrow even after cutting; the last one first. */
      optional?: true;
    };

/** A cell can have a color. */
export type Cell = string | { text: string; style: Style };

type Laid = Exclude<Column, string> & { width: number; cells: { text: string; style?: Style }[] };

const GAP = "  ";
/** A shorter text would be unreadable; then a column is left out instead. */
const CUT_MIN_WIDTH = 20;

/**
 * Rows as aligned columns, for people. In a terminal they fit its width; in a pipe nothing is cut. Non-printing characters are
 * escaped.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width = lineWidth(),
): string {
  const laid = fitWidth(
    columns.map((column, index) =>
      layOut(
        column,
        rows.map((row) => row[index] ?? ""),
      ),
    ),
    width,
  );
  const headings = line(laid, (column) => paint("bold", pad(column, column.heading)));
  return [headings, ...rows.map((_row, index) => line(laid, (column) => cellText(column, index)))].join("\n");
}

function layOut(column: Column, cells: readonly Cell[]): Laid {
  const settings = typeof column === "string" ? { heading: column } : column;
  const clean = cells.map((cell) =>
    typeof cell === "string" ? { text: escapeText(cell) } : { ...cell, text: escapeText(cell.text) },
  );
  // Not by spreading them into Math.max: a list may have more rows than a call takes arguments.
  const width = clean.reduce((most, { text }) => Math.max(most, displayWidth(text)), settings.heading.length);
  return { ...settings, width, cells: clean };
}

/** Cuts the widest columns that may be cut, then leaves out what may be left out. */
function fitWidth(columns: readonly Laid[], width: number): Laid[] {
  let laid = columns.filter((column) => width === Number.POSITIVE_INFINITY || !isEmpty(column));
  laid = laid.map((column) => ({ ...column }));
  for (;;) {
    const excess = totalWidth(laid) - width;
    if (excess <= 0) return laid;
    if (shrinkWidest(laid, excess)) continue;
    const dropped = laid.findLastIndex((column) => column.optional === true);
    if (dropped === -1) return laid;
    // Columns that were cut without success can be whole again.
    laid = columns.filter((column) => keeps(laid, dropped, column)).map((column) => ({ ...column }));
  }
}

/** In a terminal a column of nothing is not worth its width; in a pipe the columns stay the same. */
const isEmpty = ({ optional, cells }: Laid): boolean =>
  optional === true && cells.every(({ text }) => text === "");

const keeps = (laid: readonly Laid[], dropped: number, column: Laid): boolean =>
  laid.some((one, index) => index !== dropped && one.heading === column.heading);

function shrinkWidest(laid: Laid[], excess: number): boolean {
  const cuttable = laid.filter((column) => column.cut === true && column.width > minWidth(column));
  const [widest, next] = cuttable.toSorted((a, b) => b.width - a.width);
  if (!widest) return false;
  const floor = Math.max(minWidth(widest), (next?.width ?? 0) - 1);
  widest.width = Math.max(floor, widest.width - excess);
  return true;
}

const minWidth = ({ heading }: Laid): number => Math.max(CUT_MIN_WIDTH, heading.length);

const totalWidth = (laid: readonly Laid[]): number =>
  laid.reduce((sum, column) => sum + column.width, 0) + GAP.length * Math.max(0, laid.length - 1);

const line = (laid: readonly Laid[], show: (column: Laid) => string): string =>
  laid.map(show).join(GAP).trimEnd();

function cellText(column: Laid, row: number): string {
  const { text = "", style } = column.cells[row] ?? {};
  const padded = pad(column, cutTo(text, column.width));
  return style === undefined ? padded : paint(style, padded);
}

function pad(column: Laid, text: string): string {
  const space = " ".repeat(Math.max(0, column.width - displayWidth(text)));
  return column.right === true ? space + text : text + space;
}
