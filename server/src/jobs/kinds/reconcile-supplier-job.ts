import { formatAmount } from "../../lib/money.ts";
import { findingsCsv } from "../../suppliers/reconcile/findings-csv.ts";
import { FINDINGS, type Finding } from "../../suppliers/reconcile/reconcile.ts";
import { reconcileSupplier } from "../../suppliers/reconcile/reconcile-supplier.ts";
import type { JobKind, RunningJob } from "../job-kind.ts";
import { optionalText, requiredText } from "./read-params.ts";

const FINDINGS_SHOWN_MAX = 500;

/** A finding as the page of the job shows it. */
export type ShownFinding = { kind: Finding["kind"]; purchase: string; ours: string; theirs: string };

/** Compares a statement that came as a file with the purchases. The file of the result has every finding. */
export const reconcileSupplierJob: JobKind = {
  title: "Comparison of a supplier's statement",
  resultFile: "findings.csv",
  async run(deps, job) {
    job.advance(0);
    const input = { file: job.input(), from: timeOf(job, "from"), to: timeOf(job, "to") };
    await reconcileSupplier(deps, requiredText(job.params, "supplierId"), input, (tx, report) => {
      const { entries, matched, counts, totals, findings, newReversals } = report;
      const result = {
        ...{ entries, matched, newReversals },
        ...Object.fromEntries(FINDINGS.map((kind) => [kind, counts[kind]])),
        difference: totals.map(({ currency, differenceMinor }) => said(differenceMinor, currency)).join(", "),
        findings: findings.slice(0, FINDINGS_SHOWN_MAX).map(toShown),
      };
      return job.succeed(tx, result, findingsCsv(findings));
    });
  },
};

function timeOf({ params }: RunningJob, name: string): Date | undefined {
  const text = optionalText(params, name);
  return text === undefined ? undefined : new Date(text);
}

const said = (minor: bigint, currency: string): string =>
  currency === "" ? "" : `${formatAmount(minor, currency)} ${currency}`;

const toShown = ({
  kind,
  reference,
  upstreamId,
  currency,
  oursMinor,
  theirsMinor,
}: Finding): ShownFinding => ({
  kind,
  purchase: reference ?? upstreamId ?? "",
  ours: said(oursMinor, currency),
  theirs: said(theirsMinor, currency),
});
