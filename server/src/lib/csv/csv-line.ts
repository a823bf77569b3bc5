/** One CSV record, without its line break. */
export const csvLine = (cells: readonly string[]): string => cells.map(quoteCell).join(",");

const quoteCell = (cell: string): string =>
  /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

/**
 * Text as a cell that no spreadsheet takes for a formula: what begins like one gets an apostrophe in front. For CSV that people
 * open, where the text was written by others. Numbers, which may begin with a minus sign, are not text and stay as they are.
 */
export const spreadsheetCell = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Also behind spaces, and in the full-width forms that some spreadsheets accept. */
const FORMULA = /^\s*[=+\-@\t\r\n|\uff1d\uff0b\uff0d\uff20]/u;

const NUMBER = /^-?\d+(\.\d+)?$/;

/** An apostrophe makes text of what a spreadsheet would run. Numbers stay numbers. */
export const withoutFormula = (cell: string): string => (NUMBER.test(cell) ? cell : spreadsheetCell(cell));

/** The same for a row. Columns in `exact` are for programs, which need every character, and hold nothing that others wrote. */
export const withoutFormulas = (
  heads: readonly string[],
  cells: readonly string[],
  exact: ReadonlySet<string> = new Set(),
): string[] => cells.map((cell, at) => (exact.has(heads[at] ?? "") ? cell : withoutFormula(cell)));
