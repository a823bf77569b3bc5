import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { toSafeInteger } from "../../../lib/money.ts";
import { findingsCsv } from "../../../suppliers/reconcile/findings-csv.ts";
import type { Balances, SupplierReconciliation } from "../../../suppliers/reconcile/keep-reconciliation.ts";
import { type CurrencyTotal, FINDINGS, type Finding } from "../../../suppliers/reconcile/reconcile.ts";
import { showCount, showMoney } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { type Options, text, UsageError, verb } from "../../verb.ts";
import { limitOf, timeOf } from "../read-options.ts";

const LIMIT_MAX = 10_000;
const LIMIT_DEFAULT = "100";

export function supplierReconcileCommand(supplier: Command): void {
  verb(
    supplier
      .command("reconcile")
      .description("compare a supplier's statement with your purchases")
      .argument("<id>")
      .option("--file <csv>", "the statement as CSV (default: the supplier is asked, if it can be)")
      .option("--from <time>", "the start of the period, such as 2030-01-31T00:00:00Z or 2030-01-31")
      .option("--to <time>", "the end of the period")
      .option(
        "--opening <decimal>",
        "your balance at the supplier at the start, in the currency of the statement",
      )
      .option("--closing <decimal>", "your balance at the end")
      .option("--deposits <decimal>", "what you paid in meanwhile", "0")
      .option("--csv <file>", "write every finding to this file")
      .option("--limit <n>", `maximum number of findings to print, up to ${LIMIT_MAX}`, LIMIT_DEFAULT)
      .addHelpText("after", HELP),
    async (context, options, [id = ""]) => {
      const { reconcileSupplier } = await import("../../../suppliers/reconcile/reconcile-supplier.ts");
      const period = { from: timeOf(options, "from"), to: timeOf(options, "to") };
      const input = { ...period, file: text(options, "file"), balances: balancesOf(options) };
      const report = await reconcileSupplier(context, id, input, { kind: "command", id: "scrip" });
      const file = text(options, "csv");
      if (file !== undefined) await writeFile(file, findingsCsv(report.findings));
      return toView(report, options);
    },
    show,
  );
}

const HELP = `
The first line of the file names its columns, in any order: reference,id,amount,currency,status,time. The reference is ours, the id is the
supplier's; one of them is enough. The status is completed (or empty), pending, failed or reversed. Without a time column, give --from
and --to.

A row that cannot be read is a finding of its own, unreadable, and the rest is compared. The comparison is kept under the id that is
printed: in the console, see Reconciliations.

Findings: missing_there (you booked it, the supplier did not), missing_here (the reverse), amount_differs, duplicate (charged twice),
reversal (taken back after delivery; see: scrip supplier reversals), no_outcome_here (charged, and still open here).`;

function toView(report: SupplierReconciliation, options: Options) {
  const limit = limitOf(options, LIMIT_MAX);
  const { id, supplierId, from, to, entries, matched, counts, totals, findings, balances, newReversals } =
    report;
  return {
    ...{ id, supplierId, from: from.toISOString(), to: to.toISOString(), entries, matched, ...counts },
    totals: totals.map(toTotal),
    ...(report.fileDigest ? { fileDigest: report.fileDigest.toString("hex") } : {}),
    ...(balances ? { balances: toBalances(balances, totals[0]?.theirsMinor ?? 0n) } : {}),
    newReversals,
    findings: findings.slice(0, limit).map(toFinding),
    hasMore: findings.length > limit,
  };
}

const toTotal = ({ currency, oursMinor, theirsMinor, differenceMinor, explained }: CurrencyTotal) => ({
  currency,
  ours: toSafeInteger(oursMinor),
  theirs: toSafeInteger(theirsMinor),
  difference: toSafeInteger(differenceMinor),
  explained: Object.fromEntries(FINDINGS.map((kind) => [kind, toSafeInteger(explained[kind])])),
});

function balancesOf(options: Options) {
  const [opening, closing] = [text(options, "opening"), text(options, "closing")];
  if (opening === undefined && closing === undefined) return undefined;
  if (opening === undefined || closing === undefined)
    throw new UsageError("--opening and --closing go together");
  return { opening, closing, deposits: text(options, "deposits") ?? "0" };
}

const toBalances = ({ currency, spentMinor, unexplainedMinor }: Balances, statementMinor: bigint) => ({
  currency,
  spent: toSafeInteger(spentMinor),
  statement: toSafeInteger(statementMinor),
  unexplained: toSafeInteger(unexplainedMinor),
});

const toFinding = ({
  kind,
  reference,
  upstreamId,
  currency,
  oursMinor,
  theirsMinor,
  at,
  reason,
}: Finding) => ({
  kind,
  ...(reference === undefined ? {} : { reference }),
  ...(upstreamId === undefined ? {} : { upstreamId }),
  currency,
  ours: toSafeInteger(oursMinor),
  theirs: toSafeInteger(theirsMinor),
  ...(at ? { at: at.toISOString() } : {}),
  ...(reason === undefined ? {} : { reason }),
});

function show(report: ReturnType<typeof toView>): string {
  const found = FINDINGS.filter((kind) => report[kind] > 0).map(
    (kind) => `${showCount(report[kind])} ${kind}`,
  );
  const sums = report.totals.map(
    ({ currency, ours, theirs, difference }) =>
      `${currency}: you booked ${showMoney(ours, currency)}, the statement has ${showMoney(theirs, currency)}, ` +
      `the difference is ${showMoney(difference, currency)}`,
  );
  const { balances } = report;
  const unexplained = balances
    ? [
        `The balance fell by ${showMoney(balances.spent, balances.currency)}; ${showMoney(balances.unexplained, balances.currency)} of it is not in the statement`,
      ]
    : [];
  const rows = report.findings.map((one) => [
    ...[one.kind, one.reference ?? one.upstreamId ?? ""],
    ...(one.currency === ""
      ? ["", ""]
      : [showMoney(one.ours, one.currency), showMoney(one.theirs, one.currency)]),
    one.reason ?? "",
  ]);
  const head = `${showCount(report.entries)} entries: ${showCount(report.matched)} matched${found.map((one) => `, ${one}`).join("")}`;
  const columns = [
    "FINDING",
    "PURCHASE",
    { heading: "OURS", right: true },
    { heading: "THEIRS", right: true },
    { heading: "REASON", cut: true, optional: true },
  ] as const;
  const kept = `Kept as ${report.id}`;
  return [head, ...sums, ...unexplained, kept, ...(rows.length > 0 ? ["", table(columns, rows)] : [])].join(
    "\n",
  );
}
