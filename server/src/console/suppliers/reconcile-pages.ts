import { csvLine, spreadsheetCell } from "../../lib/csv-line.ts";
import { formatAmount } from "../../lib/money.ts";
import { Problem } from "../../lib/problem.ts";
import { parseTime } from "../../lib/time.ts";
import { getSupplier } from "../../suppliers/get-supplier.ts";
import type { SupplierRow } from "../../suppliers/queries.ts";
import { FINDINGS, type Finding } from "../../suppliers/reconcile/reconcile.ts";
import {
  reconcileSupplier,
  type SupplierReconciliation,
} from "../../suppliers/reconcile/reconcile-supplier.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { showOnce } from "../../web/pages/define-page.ts";
import { countText, moneyText } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { panel, stack, statTiles } from "../../web/parts/panel.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { href } from "../../web/template/safe-url.ts";
import { orNotFound, sayRefusal } from "../say-refusal.ts";
import type { ConsoleContext, ConsoleDeps, ConsoleFace } from "../session.ts";

const SHOWN_MAX = 500;

export const reconcilePath = (id: string): string => `/suppliers/${id}/reconcile`;

const day = (label: string) =>
  textField({ label, required: true, maxLength: 30, hint: "Such as 2030-01-31, in UTC." });
const periodForm = defineForm({ from: day("From"), to: day("To (not included)") });

/** The supplier's books held against ours. A statement that came as a file is compared by the command. */
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

function findingsCsv(findings: readonly Finding[]): string {
  const amount = (minor: bigint, currency: string) =>
    currency === "" ? minor.toString() : formatAmount(minor, currency);
  const rows = findings.map(
    ({ kind, reference = "", upstreamId = "", currency, oursMinor, theirsMinor, at }) => [
      ...[kind, spreadsheetCell(reference), spreadsheetCell(upstreamId), currency],
      ...[amount(oursMinor, currency), amount(theirsMinor, currency), at?.toISOString() ?? ""],
    ],
  );
  const head = ["finding", "reference", "id", "currency", "ours", "theirs", "time"];
  return [head, ...rows].map((cells) => `${csvLine(cells)}\n`).join("");
}

const WORDS: Readonly<Record<Finding["kind"], string>> = {
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
        note: "The supplier is asked for its statement. A file is compared with: scrip supplier reconcile --file",
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
      ...FINDINGS.map((kind) => ({ label: WORDS[kind], value: countText(counts[kind]) })),
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
        { head: "Finding", cell: ({ kind }) => WORDS[kind] },
        { head: "Purchase", cell: ({ reference, upstreamId }) => reference ?? upstreamId ?? "" },
        { head: "Ours", numeric: true, cell: ({ oursMinor, currency }) => text(oursMinor, currency) },
        { head: "Theirs", numeric: true, cell: ({ theirsMinor, currency }) => text(theirsMinor, currency) },
      ],
      empty: emptyState("No findings", "The books agree."),
      csvHref: href(`${reconcilePath(id)}/findings.csv`, period),
    }),
  ];
}
