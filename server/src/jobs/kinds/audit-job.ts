import { runAudit } from "../../audit/record-audit.ts";
import { csvLine } from "../../lib/csv/csv-line.ts";
import type { JobKind } from "../job-kind.ts";

/**
 * Proves the invariants: of what can have changed since the last proof, or with `full` of everything. It changes nothing, so a run that
 * is interrupted starts again.
 */
export const auditJob: JobKind = {
  title: "Audit",
  resultFile: "audit.csv",
  async run(deps, job) {
    await runAudit(deps, job.actor, {
      isFull: job.params.full === true,
      onProgress: (done, total) => job.advance(done, total),
      inTransaction: (tx, { ok, invariants }) => {
        const lines = invariants.flatMap(({ number, name, checked, violations, ok: holds }) =>
          (holds ? [""] : violations).map((violation) =>
            csvLine([String(number), name, holds ? "ok" : "broken", String(checked), violation]),
          ),
        );
        const broken = invariants.filter((one) => !one.ok).map(({ number }) => number);
        const head = csvLine(["number", "name", "state", "checked", "violation"]);
        return job.succeed(tx, { ok, broken }, `${[head, ...lines].join("\r\n")}\r\n`);
      },
    });
  },
};
