import type { Tx } from "../../db/database.ts";
import {
  createTrial,
  insertTrial,
  type OrdinalRange,
  returnToSavepoint,
  setSavepoint,
  takeStaged,
} from "./import-queries.ts";

type Report = (row: { line: number; id: string; reason: string }) => void;

/**
 * Reports rows that violate a database check although our own validation passed: a migration can add a rule that the
 * code does not know yet. It bisects the staged rows, so one bad row in a million takes twenty attempts. What is
 * reported is no longer staged. Returns the number of reported rows.
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
  const row = await takeStaged(tx, ordinal);
  if (!row) return 0;
  const { error } = refusal;
  const reason =
    "constraint" in error && error.constraint
      ? `violates the database constraint ${error.constraint}`
      : `refused by the database: ${error.message}`;
  refusal.report({ ...row, reason });
  return 1;
}

/** SQLSTATE class 22 (data exception) or 23 (integrity constraint violation). */
export const isDataError = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && /^2[23]/.test(String(error.code));
