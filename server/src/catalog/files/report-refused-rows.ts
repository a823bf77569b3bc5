import type { Tx } from "../../db/database.ts";
import {
  createTrial,
  findStaged,
  insertTrial,
  type OrdinalRange,
  returnToSavepoint,
  setSavepoint,
} from "./import-queries.ts";

type Report = (row: { line: number; id: string; reason: string }) => void;

/**
 * Names the rows that a check of the database refuses though our own found nothing: a migration may have brought a
 * rule that the code does not know yet. The staged rows are tried in halves down to the single one, so that a
 * million rows with one bad one take twenty tries. Returns how many it named.
 */
export async function reportRefusedRows(tx: Tx, rows: OrdinalRange, report: Report): Promise<number> {
  await createTrial(tx);
  return tryRange(tx, rows, report);
}

async function tryRange(tx: Tx, range: OrdinalRange, report: Report): Promise<number> {
  await setSavepoint(tx);
  try {
    await insertTrial(tx, range);
    return 0;
  } catch (error) {
    if (!isDataError(error)) throw error;
    await returnToSavepoint(tx);
    if (range.first === range.last) return reportRow(tx, range.first, { error, report });
  }
  const middle = Math.floor((range.first + range.last) / 2);
  const lower = await tryRange(tx, { first: range.first, last: middle }, report);
  return lower + (await tryRange(tx, { first: middle + 1, last: range.last }, report));
}

async function reportRow(
  tx: Tx,
  ordinal: number,
  refusal: { error: Error; report: Report },
): Promise<number> {
  const row = await findStaged(tx, ordinal);
  if (!row) return 0;
  const { error } = refusal;
  const rule = "constraint" in error && error.constraint ? `its rule ${error.constraint}` : error.message;
  refusal.report({ ...row, reason: `the database refuses it: ${rule}` });
  return 1;
}

/** SQLSTATE classes 22, data exceptions, and 23, violated constraints. */
export const isDataError = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && /^2[23]/.test(String(error.code));
