import type { JobDetails } from "../../jobs/list-jobs.ts";
import { linkButton } from "../../web/parts/button.ts";
import { panel, row } from "../../web/parts/panel.ts";
import type { Html } from "../../web/template/html.ts";
import { reconciliationPath } from "./reconciliation-pages.ts";
import { syncPath } from "./sync-pages.ts";

/** Where the result of a job about a supplier is, on the page of the job. Undefined for other jobs. */
export function supplierJobResult({ kind, state, params, result }: JobDetails): Html | undefined {
  if (state !== "succeeded") return undefined;
  const link = (title: string, label: string, to: string): Html =>
    panel({ title }, row(linkButton(label, to, { kind: "main" })));
  if (kind === "sync_catalog")
    return link("Proposed changes", "Choose what to apply", syncPath(String(params.supplierId)));
  if (kind !== "reconcile_supplier") return undefined;
  return link("Findings", "Open the reconciliation", reconciliationPath(String(result?.reconciliationId)));
}
