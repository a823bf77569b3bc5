import type { Command } from "commander";
import {
  type AppliedDeposit,
  importStatement,
  previewStatement,
} from "../../../deposits/bank/import-statement.ts";
import type { Match } from "../../../deposits/bank/propose-matches.ts";
import { showReference } from "../../../deposits/reference.ts";
import { toSafeInteger } from "../../../lib/money.ts";
import { plural, showMoney } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { listed, text, UsageError, verb } from "../../verb.ts";
import { BY } from "./deposit-json.ts";

export function importDepositsCommand(deposit: Command): void {
  verb(
    deposit
      .command("import")
      .argument("<file>", "a bank statement: CSV with a header row, or camt.053 XML")
      .description("match a bank statement with deposits; changes nothing without --apply")
      .option("--apply", "receive what matches, and credit each deposit that is complete")
      .option("--rows <n,n>", "with --apply: also count these rows, which look doubled"),
    async (context, options, [file = ""]) => {
      const extraRows = rowsOf(text(options, "rows"));
      const deps = { ...context, dualControl: context.config.dualControlAbove };
      const isApplied = options.apply === true;
      if (extraRows.size > 0 && !isApplied) throw new UsageError("--rows needs --apply");
      const { matches, applied } = isApplied
        ? await importStatement(deps, file, extraRows, BY)
        : { matches: await previewStatement(deps.db, file), applied: [] };
      return { isApplied, counts: countResults(matches), rows: matches.map(toJson), deposits: applied };
    },
    showImport,
  );
}

function rowsOf(value: string | undefined): Set<number> {
  const rows = listed(value) ?? [];
  const wrong = rows.find((row) => !/^\d{1,9}$/.test(row));
  if (wrong !== undefined) throw new UsageError(`--rows must be numbers such as 14,15, not "${wrong}"`);
  return new Set(rows.map(Number));
}

const countResults = (matches: readonly Match[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(matches, ({ result }) => result)].map(([result, rows]) => [result, rows.length]),
  );

const toJson = ({ row, result, detail, line, deposit }: Match) => ({
  ...{ row, result, detail },
  ...(line
    ? {
        bookedOn: line.bookedOn,
        amount: toSafeInteger(line.amountMinor),
        currency: line.currency,
        text: line.remittance,
      }
    : {}),
  ...(deposit
    ? {
        depositId: deposit.id,
        reference: deposit.reference,
        resellerId: deposit.resellerId,
        requestedAmount: toSafeInteger(deposit.amountMinor),
      }
    : {}),
});

type Shown = {
  isApplied: boolean;
  counts: Record<string, number>;
  rows: ReturnType<typeof toJson>[];
  deposits: AppliedDeposit[];
};

function showImport({ isApplied, rows, deposits }: Shown): string {
  if (rows.length === 0) return "The statement has no rows.";
  const columns = [
    { heading: "ROW", right: true },
    "RESULT",
    { heading: "AMOUNT", right: true },
    "DEPOSIT",
    { heading: "REFERENCE", optional: true },
    "WHAT",
  ] as const;
  const cells = rows.map((row) => [
    String(row.row),
    row.result,
    row.amount === undefined || row.currency === undefined ? "" : showMoney(row.amount, row.currency),
    row.depositId ?? "",
    row.reference === undefined ? "" : showReference(row.reference),
    row.detail,
  ]);
  const parts = [table(columns, cells), ""];
  if (!isApplied)
    return [...parts, "Nothing was changed. Add --apply to receive and credit what matches."].join("\n");
  if (deposits.length === 0) return [...parts, "Nothing matched, so nothing was changed."].join("\n");
  const ends = deposits.map(({ depositId, outcome, detail }) => [depositId, outcome, detail]);
  const credited = deposits.filter(({ outcome }) => outcome === "credited").length;
  return [
    ...parts,
    table(["DEPOSIT", "OUTCOME", "WHAT"], ends),
    "",
    `${plural(credited, "deposit")} credited.`,
  ].join("\n");
}
