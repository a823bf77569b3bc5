import { formatAmount } from "../../lib/money.ts";
import { findingsCsv } from "../../suppliers/reconcile/findings-csv.ts";
import { FINDINGS } from "../../suppliers/reconcile/reconcile.ts";
import { reconcileSupplier } from "../../suppliers/reconcile/reconcile-supplier.ts";
import type { JobKind, RunningJob } from "../job-kind.ts";
import { optionalText, requiredText } from "./read-params.ts";

/** Compares a statement that came as a file with the purchases. The file of the result has every finding. */
export const reconcileSupplierJob: JobKind = {
  title: "Comparison of a supplier's statement",
  resultFile: "findings.csv",
  async run(deps, job) {
    job.advance(0);
    const period = { from: timeOf(job, "from"), to: timeOf(job, "to") };
    const input = { ...period, file: job.input(), balances: balancesOf(job) };
    const supplierId = requiredText(job.params, "supplierId");
    await reconcileSupplier(deps, supplierId, input, job.actor, (tx, report) => {
      const { id, entries, matched, counts, totals, findings, newReversals } = report;
      const result = {
        ...{ entries, matched, newReversals },
        ...Object.fromEntries(FINDINGS.map((kind) => [kind, counts[kind]])),
        difference: totals.map(({ currency, differenceMinor }) => said(differenceMinor, currency)).join(", "),
        reconciliationId: id,
      };
      return job.succeed(tx, result, findingsCsv(findings));
    });
  },
};

function timeOf({ params }: RunningJob, name: string): Date | undefined {
  const text = optionalText(params, name);
  return text === undefined ? undefined : new Date(text);
}

function balancesOf({ params }: RunningJob) {
  const [opening, closing] = [optionalText(params, "opening"), optionalText(params, "closing")];
  if (opening === undefined || closing === undefined) return undefined;
  return { opening, closing, deposits: optionalText(params, "deposits") ?? "0" };
}

const said = (minor: bigint, currency: string): string =>
  currency === "" ? "" : `${formatAmount(minor, currency)} ${currency}`;
