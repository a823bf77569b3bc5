import { type Json, JsonError, parseStrictJsonText } from "../../lib/strict-json.ts";
import { DETAIL_NAMES } from "../product-details.ts";

/** The CSV columns of a catalog, in output order (CONTRACT 8, Files). */
export const CSV_COLUMNS = [
  "id",
  "name",
  "type",
  "faceValue.amount",
  "faceValue.currency",
  "faceValue.unit",
  "faceValue.isMoney",
  "bonus",
  "minQuantity",
  "maxQuantity",
  "inputFields",
  "active",
  "hidden",
  ...DETAIL_NAMES,
] as const;

/**
 * Converts a CSV record to the shape of a JSON file, so that one validator handles both. An empty cell is an absent
 * member, except in the column of a detail, where it removes the detail. A cell that does not fit its column stays text, and the validator reports it.
 */
export function csvRecordToJson(columns: readonly string[], cells: readonly string[]): Json {
  const product: { [key: string]: Json } = {};
  const faceValue: { [key: string]: Json } = {};
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? "";
    if (cell === "" && !isDetail(column)) continue;
    const value = CELL_READERS.get(column)?.(cell) ?? cell;
    if (column.startsWith(FACE_VALUE_PREFIX)) faceValue[column.slice(FACE_VALUE_PREFIX.length)] = value;
    else product[column] = value;
  }
  if (Object.keys(faceValue).length > 0) product.faceValue = faceValue;
  return product;
}

const isDetail = (column: string): boolean => DETAIL_NAMES.some((name) => name === column);

const FACE_VALUE_PREFIX = "faceValue.";
export const REQUIRED_COLUMNS = ["id", "name", "faceValue.amount", "faceValue.currency"] as const;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false],
]);

const readBooleanCell = (cell: string): Json => BOOLEANS.get(cell.toLowerCase()) ?? cell;

const readIntegerCell = (cell: string): Json => (/^(0|[1-9][0-9]*)$/.test(cell) ? Number(cell) : cell);

function readJsonCell(cell: string): Json {
  try {
    return parseStrictJsonText(cell);
  } catch (error) {
    if (error instanceof JsonError) return cell;
    throw error;
  }
}

/** Every other column is plain text. */
const CELL_READERS: ReadonlyMap<string, (cell: string) => Json> = new Map([
  ["faceValue.isMoney", readBooleanCell],
  ["minQuantity", readIntegerCell],
  ["maxQuantity", readIntegerCell],
  ["inputFields", readJsonCell],
  ["active", readBooleanCell],
  ["hidden", readBooleanCell],
]);
