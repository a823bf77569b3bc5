import type { ShownFinding } from "../../jobs/kinds/reconcile-supplier-job.ts";
import type { JobDetails } from "../../jobs/list-jobs.ts";
import { linkButton } from "../../web/parts/button.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { panel, row } from "../../web/parts/panel.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import type { Html } from "../../web/template/html.ts";
import { FINDING_WORDS } from "./reconcile-pages.ts";
import { syncPath } from "./sync-pages.ts";

/** What a job about a supplier has found, on the page of the job. Undefined for other jobs. */
export function supplierJobResult({ kind, state, params, result }: JobDetails): Html | undefined {
  if (state !== "succeeded") return undefined;
  if (kind === "sync_catalog")
    return panel(
      { title: "Proposed changes" },
      row(linkButton("Choose what to apply", syncPath(String(params.supplierId)), { kind: "main" })),
    );
  if (kind !== "reconcile_supplier") return undefined;
  return tablePanel({
    title: "Findings",
    caption: "Findings",
    rows: (result?.findings ?? []) as ShownFinding[],
    columns: [
      { head: "Finding", cell: (one) => FINDING_WORDS[one.kind] },
      { head: "Purchase", cell: ({ purchase }) => purchase },
      { head: "Ours", numeric: true, cell: ({ ours }) => ours },
      { head: "Theirs", numeric: true, cell: ({ theirs }) => theirs },
    ],
    empty: emptyState("No findings", "The books agree."),
  });
}
