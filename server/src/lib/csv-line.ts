/** One CSV record, without its line break. */
export const csvLine = (cells: readonly string[]): string => cells.map(quoteCell).join(",");

const quoteCell = (cell: string): string =>
  /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
