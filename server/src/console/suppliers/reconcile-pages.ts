import { startJob } from "../../jobs/start-job.ts";
import { Problem } from "../../lib/problem.ts";
import { parseTime } from "../../lib/time.ts";
import { getSupplier } from "../../suppliers/get-supplier.ts";
import type { SupplierRow } from "../../suppliers/queries.ts";
import { findingsCsv } from "../../suppliers/reconcile/findings-csv.ts";
import { FINDINGS, type Finding } from "../../suppliers/reconcile/reconcile.ts";
import {
  reconcileSupplier,
  type SupplierReconciliation,
} from "../../suppliers/reconcile/reconcile-supplier.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { fileField } from "../../web/form/file-field.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect, showOnce } from "../../web/pages/define-page.ts";
import { countText, moneyText } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { panel, stack, statTiles } from "../../web/parts/panel.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { href } from "../../web/template/safe-url.ts";
import { jobPath } from "../jobs/job-rights.ts";
import { fileOf } from "../products/import-page.ts";
import { orNotFound, sayRefusal } from "../say-refusal.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace } from "../session.ts";

const SHOWN_MAX = 500;

export const reconcilePath = (id: string): string => `/suppliers/${id}/reconcile`;

const day = (label: string) =>
  textField({ label, required: true, maxLength: 30, hint: "Such as 2030-01-31, in UTC." });
const periodForm = defineForm({ from: day("From"), to: day("To (not included)") });

const optionalDay = (label: string) =>
  textField({ label, maxLength: 30, hint: "Needed if the rows have no time. Such as 2030-01-31, in UTC." });
const fileForm = defineForm({
  file: fileField({
    label: "File",
    hint: "CSV whose first line names the columns reference, id, amount, currency, status and time. At most 32 MiB.",
    required: true,
    accept: ".csv",
  }),
  from: optionalDay("From"),
  to: optionalDay("To (not included)"),
});

/** The supplier's books held against ours. A statement that came as a file is compared by a job. */
export function reconcilePages(face: ConsoleFace, deps: ConsoleDeps): void {
  const load = (ctx: ConsoleContext) => orNotFound(getSupplier(deps.db, ctx.params.id ?? ""));
  const permission = "reconciliation.manage" as const;
  const compare = async (ctx: ConsoleContext, from: string, to: string) => {
    const { id } = await load(ctx);
    return sayRefusal(reconcileSupplier(deps, id, { from: timeOf(from), to: timeOf(to) }));
  };
  face.page({
    path: reconcilePath(":id"),
    permission,
    load,
    render: (supplier, ctx) => render(supplier, periodForm.start(), ctx),
  });
  face.action({
    path: reconcilePath(":id"),
    permission,
    form: periodForm,
    async run({ from, to }, ctx) {
      const report = await compare(ctx, from, to);
      return showOnce(render(await load(ctx), periodForm.start({ from, to }), ctx, report));
    },
    again: async (state, ctx) => render(await load(ctx), state, ctx),
  });
  face.action({
    path: `${reconcilePath(":id")}/file`,
    permission,
    form: fileForm,
    takesFiles: true,
    async run({ from, to }, ctx) {
      const { id: supplierId } = await load(ctx);
      const [start, end] = [from, to].map((text) => (text === "" ? null : timeOf(text).toISOString()));
      const params = { supplierId, from: start ?? null, to: end ?? null };
      const job = { kind: "reconcile_supplier" as const, params, input: fileOf(ctx) };
      return redirect(jobPath(await startJob(deps, job, byOf(ctx))), "The statement is being compared.");
    },
    again: async (state, ctx) => render(await load(ctx), periodForm.start(), ctx, undefined, state),
  });
  face.download({
    path: `${reconcilePath(":id")}/findings.csv`,
    permission,
    load: async (ctx) => {
      const report = await compare(ctx, ctx.query.from ?? "", ctx.query.to ?? "");
      return {
        type: "text/csv; charset=utf-8",
        filename: "findings.csv",
        body: findingsCsv(report.findings),
      };
    },
  });
}

function timeOf(text: string): Date {
  const time = parseTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (!time) throw new Problem("invalid_request", `"${text}" is not a day such as 2030-01-31.`);
  return time;
}

/** What people read for a finding. */
export const FINDING_WORDS: Readonly<Record<Finding["kind"], string>> = {
  missing_there: "Missing there",
  missing_here: "Missing here",
  amount_differs: "Amount differs",
  duplicate: "Charged twice",
  reversal: "Taken back",
  no_outcome_here: "No outcome here",
};

const render = (
  supplier: SupplierRow,
  state: FormState,
  ctx: ConsoleContext,
  report?: SupplierReconciliation,
  fileState: FormState = fileForm.start(),
): PageContent => ({
  title: `Reconcile ${supplier.name}`,
  crumbs: [
    { label: "Suppliers", href: "/suppliers" },
    { label: supplier.name, href: `/suppliers/${supplier.id}` },
  ],
  body: stack(
    panel(
      { title: "Period" },
      periodForm.render({
        action: reconcilePath(supplier.id),
        hidden: ctx.hidden(),
        state,
        submit: "Compare",
        note: "The supplier is asked for its statement.",
      }),
    ),
    panel(
      { title: "Statement as a file" },
      fileForm.render({
        action: `${reconcilePath(supplier.id)}/file`,
        hidden: ctx.hidden(),
        state: fileState,
        submit: "Compare file",
        takesFiles: true,
      }),
    ),
    ...(report ? renderReport(supplier, report) : []),
  ),
});

function renderReport({ id }: SupplierRow, report: SupplierReconciliation) {
  const { entries, matched, counts, totals, findings, from, to } = report;
  const period = { from: from.toISOString(), to: to.toISOString() };
  const text = (minor: bigint, currency: string) => (currency === "" ? "" : moneyText(minor, currency));
  return [
    statTiles([
      { label: "Entries", value: countText(entries) },
      { label: "Matched", value: countText(matched) },
      ...FINDINGS.map((kind) => ({ label: FINDING_WORDS[kind], value: countText(counts[kind]) })),
      ...totals.map(({ currency, differenceMinor }) => ({
        label: "Difference",
        value: text(differenceMinor, currency),
        note: "theirs less ours; the findings explain it",
      })),
    ]),
    tablePanel({
      title: "Findings",
      caption: "Findings",
      rows: findings.slice(0, SHOWN_MAX),
      columns: [
        { head: "Finding", cell: ({ kind }) => FINDING_WORDS[kind] },
        { head: "Purchase", cell: ({ reference, upstreamId }) => reference ?? upstreamId ?? "" },
        { head: "Ours", numeric: true, cell: ({ oursMinor, currency }) => text(oursMinor, currency) },
        { head: "Theirs", numeric: true, cell: ({ theirsMinor, currency }) => text(theirsMinor, currency) },
      ],
      empty: emptyState("No findings", "The books agree."),
      csvHref: href(`${reconcilePath(id)}/findings.csv`, period),
    }),
  ];
}
