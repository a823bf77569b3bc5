import { Refusal } from "../../accounts/refusal.ts";
import type { By } from "../../activity/record-activity.ts";
import type { Queryable } from "../../db/database.ts";
import type { FileSource } from "../../lib/csv/read-csv-table.ts";
import { approvalAbove } from "../../wallet/proposals/request-movement.ts";
import { type CreditDeps, type CreditResult, creditLocked } from "../credit-deposit.ts";
import { listByReferences } from "../deposit-queries.ts";
import { lockOpen, lockPerson, writeReceived } from "../receive-deposit.ts";
import { findReferences } from "../reference.ts";
import { type IdentifiedLine, identify } from "./bank-line.ts";
import { insertBankLine, listLinesOf, listStoredLines } from "./bank-queries.ts";
import { isMatched, type Match, proposeMatches } from "./propose-matches.ts";
import { readStatement } from "./read-statement.ts";

/** What became of a deposit when an import was applied. */
export type AppliedDeposit = {
  depositId: string;
  rows: number[];
  outcome: "credited" | "proposed" | "received" | "refused";
  detail: string;
};

/** Reads a bank statement and proposes what each row is for. Nothing is written. */
export async function previewStatement(db: Queryable, file: FileSource): Promise<Match[]> {
  const rows = await readStatement(file);
  const lines = identify(rows.flatMap((row) => ("line" in row ? [row.line] : [])));
  const references = new Set(lines.flatMap(({ remittance }) => findReferences(remittance).valid));
  const recorded = await listStoredLines(
    db,
    lines.map(({ identity }) => identity),
  );
  const deposits = await listByReferences(db, [...references]);
  const ofDeposits = await listLinesOf(
    db,
    deposits.map(({ id }) => id),
  );
  return proposeMatches(rows, lines, {
    deposits: new Map(deposits.map((deposit) => [deposit.reference, deposit])),
    recorded: new Map(recorded.map((line) => [line.identity.toString("hex"), line])),
    linesOf: Map.groupBy(ofDeposits, ({ depositId }) => depositId),
  });
}

/**
 * Receives the matched rows, one transaction for each deposit, and credits each deposit that is then complete. `extraRows` are rows that
 * look doubled and that a person says are not. What has changed since the preview is refused under the lock of the deposit.
 */
export async function applyMatches(
  deps: CreditDeps,
  matches: readonly Match[],
  extraRows: ReadonlySet<number>,
  by: By,
  onDone: (rows: number) => void = () => {},
): Promise<AppliedDeposit[]> {
  const chosen = matches.filter(
    ({ result, row, deposit }) =>
      isMatched(result) || (result === "doubled" && deposit && extraRows.has(row)),
  );
  const applied: AppliedDeposit[] = [];
  for (const [depositId, rows] of Map.groupBy(chosen, ({ deposit }) => deposit?.id ?? "")) {
    const numbers = rows.map(({ row }) => row);
    const lines = rows.flatMap(({ line }) => (line ? [line] : []));
    onDone(applied.reduce((sum, one) => sum + one.rows.length, 0));
    applied.push({ depositId, rows: numbers, ...(await applyLines(deps, depositId, lines, by)) });
  }
  return applied;
}

type Outcome = Pick<AppliedDeposit, "outcome" | "detail">;

const applyLines = async (
  { db, clock, dualControl }: CreditDeps,
  depositId: string,
  lines: readonly IdentifiedLine[],
  by: By,
): Promise<Outcome> => {
  const applying = db.transaction(async (tx): Promise<Outcome> => {
    let deposit = await lockOpen(tx, depositId);
    await lockPerson(tx, by);
    let isNew = false;
    for (const line of lines) {
      if (line.currency !== deposit.currency) throw new Error("a line in another currency");
      if (!(await insertBankLine(tx, line, depositId, by, clock.now()))) continue;
      isNew = true;
      deposit = await writeReceived(tx, clock, deposit, { amountMinor: line.amountMinor, from: "bank" }, by);
    }
    if (!isNew) return { outcome: "refused", detail: "Another import counted these rows in the meantime." };
    if (deposit.receivedMinor !== deposit.amountMinor)
      return {
        outcome: "received",
        detail: "Another amount arrived than was requested. Credit it or reject it.",
      };
    const takesTwo = approvalAbove(dualControl, deposit, deposit.currency, deposit.amountMinor) !== undefined;
    if (takesTwo && by.actor.kind !== "staff")
      return { outcome: "received", detail: "This amount takes two people. Credit it in the console." };
    return outcomeOf(await creditLocked(tx, { clock, dualControl }, deposit, by));
  });
  return applying.catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    return { outcome: "refused", detail: error.message };
  });
};

const outcomeOf = (result: CreditResult): Outcome =>
  "credited" in result
    ? { outcome: "credited", detail: "Credited." }
    : { outcome: "proposed", detail: "Waits for the approval of another person." };

/** Reads, proposes and applies in one go, for a command that was shown the preview before. */
export async function importStatement(
  deps: CreditDeps,
  file: FileSource,
  extraRows: ReadonlySet<number>,
  by: By,
): Promise<{ matches: Match[]; applied: AppliedDeposit[] }> {
  const matches = await previewStatement(deps.db, file);
  return { matches, applied: await applyMatches(deps, matches, extraRows, by) };
}
