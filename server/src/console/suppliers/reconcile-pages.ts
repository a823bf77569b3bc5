import { startJob } from "../../jobs/start-job.ts";
import { Problem } from "../../lib/problem.ts";
import { getSupplier } from "../../suppliers/get-supplier.ts";
import type { SupplierRow } from "../../suppliers/queries.ts";
import {
  type KeptReconciliation,
  listReconciliations,
} from "../../suppliers/reconcile/keep-reconciliation.ts";
import { reconcileSupplier } from "../../suppliers/reconcile/reconcile-supplier.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { fileField } from "../../web/form/file-field.ts";
import { dateField } from "../../web/form/number-fields.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { halves, panel, stack } from "../../web/parts/panel.ts";
import { jobPath } from "../jobs/job-rights.ts";
import { fileOf } from "../products/import-page.ts";
import { orNotFound, sayRefusal } from "../say-refusal.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace } from "../session.ts";
import { reconcilePath, reconciliationPath, reconciliationsPanel } from "./reconciliation-pages.ts";

const LATEST_MAX = 10;

const amount = (label: string, hint: string) =>
  textField({ label, hint, maxLength: 30, inputmode: "decimal" });
const balanceFields = {
  opening: amount(
    "Balance at the start",
    "What you had at the supplier, such as 1200.00. With the balance at the end.",
  ),
  closing: amount("Balance at the end", "The report then says what left the account and is in no statement."),
  deposits: amount("Paid in between", "What you paid in meanwhile."),
};
const periodForm = defineForm({
  from: dateField({ label: "From", required: true, hint: "The first day, in UTC." }),
  to: dateField({ label: "To (not included)", required: true, hint: "The day after the last one, in UTC." }),
  ...balanceFields,
});
const NEEDED_WITHOUT_TIMES = "Needed if the rows have no time. In UTC.";
const fileForm = defineForm({
  file: fileField({
    label: "File",
    hint: "CSV whose first line names the columns reference, id, amount, currency, status and time. At most 64 MiB.",
    required: true,
    accept: ".csv",
  }),
  from: dateField({ label: "From", hint: NEEDED_WITHOUT_TIMES }),
  to: dateField({ label: "To (not included)", hint: NEEDED_WITHOUT_TIMES }),
  ...balanceFields,
});

type Loaded = { supplier: SupplierRow; latest: KeptReconciliation[] };

/** The supplier's books held against ours. A statement that came as a file is compared by a job. */
export function reconcilePages(face: ConsoleFace, deps: ConsoleDeps): void {
  const load = async (ctx: ConsoleContext): Promise<Loaded> => {
    const supplier = await orNotFound(getSupplier(deps.db, ctx.params.id ?? ""));
    const latest = await listReconciliations(deps.db, { supplierId: supplier.id, limit: LATEST_MAX });
    return { supplier, latest };
  };
  const permission = "reconciliation.manage" as const;
  face.page({
    path: reconcilePath(":id"),
    permission,
    load,
    render: (loaded, ctx) => render(loaded, ctx, {}),
  });
  face.action({
    path: reconcilePath(":id"),
    permission,
    form: periodForm,
    async run({ from, to, ...given }, ctx) {
      const { supplier } = await load(ctx);
      const input = { from, to, balances: balancesOf(given) };
      const report = await sayRefusal(reconcileSupplier(deps, supplier.id, input, byOf(ctx).actor), OPTIONS);
      return redirect(reconciliationPath(report.id), "The statement was compared.");
    },
    again: async (period, ctx) => render(await load(ctx), ctx, { period }),
  });
  face.action({
    path: `${reconcilePath(":id")}/file`,
    permission,
    form: fileForm,
    takesFiles: true,
    async run({ from, to, ...given }, ctx) {
      const { supplier } = await load(ctx);
      const balances = balancesOf(given);
      const params = {
        supplierId: supplier.id,
        from: from?.toISOString() ?? null,
        to: to?.toISOString() ?? null,
        ...(balances ?? {}),
      };
      const job = { kind: "reconcile_supplier" as const, params, input: fileOf(ctx) };
      return redirect(jobPath(await startJob(deps, job, byOf(ctx))), "The statement is being compared.");
    },
    again: async (file, ctx) => render(await load(ctx), ctx, { file }),
  });
}

const OPTIONS = { "--from": { name: "from", label: "From" }, "--to": { name: "to", label: "To" } };

function balancesOf({
  opening,
  closing,
  deposits,
}: Readonly<Record<"opening" | "closing" | "deposits", string>>) {
  if (opening === "" && closing === "") return undefined;
  const missing = opening === "" ? "opening" : closing === "" ? "closing" : undefined;
  if (missing === undefined) return { opening, closing, deposits: deposits === "" ? "0" : deposits };
  const detail = "Give both balances, or neither.";
  throw new Problem("invalid_request", detail, {
    errors: [{ pointer: `/${missing}`, code: "required", detail }],
  });
}

const render = (
  { supplier, latest }: Loaded,
  ctx: ConsoleContext,
  { period = periodForm.start(), file = fileForm.start() }: { period?: FormState; file?: FormState },
): PageContent => ({
  title: `Reconcile ${supplier.name}`,
  crumbs: [
    { label: "Suppliers", href: "/suppliers" },
    { label: supplier.name, href: `/suppliers/${supplier.id}` },
  ],
  body: stack(
    latest.length > 0 ? reconciliationsPanel(latest, ctx, { title: "Latest", isOfOne: true }) : undefined,
    halves(
      panel(
        { title: "Period" },
        periodForm.render({
          action: reconcilePath(supplier.id),
          hidden: ctx.hidden(),
          state: period,
          submit: "Compare",
          note: "The supplier is asked for its statement.",
        }),
      ),
      panel(
        { title: "Statement as a file" },
        fileForm.render({
          action: `${reconcilePath(supplier.id)}/file`,
          hidden: ctx.hidden(),
          state: file,
          submit: "Compare file",
          takesFiles: true,
          id: "file-form",
        }),
      ),
    ),
  ),
});
