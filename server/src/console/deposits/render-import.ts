import type { AppliedDeposit } from "../../deposits/bank/import-statement.ts";
import { showReference } from "../../deposits/reference.ts";
import type { ShownMatch } from "../../jobs/kinds/import-deposits-job.ts";
import type { JobDetails } from "../../jobs/list-jobs.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { fileField } from "../../web/form/file-field.ts";
import { UPLOAD_MAX_BYTES } from "../../web/form/read-upload.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import type { Tone } from "../../web/parts/chip.ts";
import { confirm } from "../../web/parts/confirm.ts";
import { countText } from "../../web/parts/money.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { facts, panel, stack } from "../../web/parts/panel.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { columnsPanel, type ImportColumn } from "../jobs/import-columns.ts";
import { mayConfirm } from "../jobs/job-rights.ts";
import { wordChip } from "../plain-word.ts";
import type { ConsoleContext } from "../session.ts";

export const importForm = defineForm({
  file: fileField({
    label: "File",
    hint: `A CSV file whose first line names the columns, or camt.053 XML. At most ${UPLOAD_MAX_BYTES / 1024 / 1024} MiB.`,
    required: true,
    accept: ".csv,.xml",
  }),
  rows: textField({
    label: "Also count these rows",
    hint: "Rows of this file that look doubled and are not, such as 14, 15. Leave it empty the first time.",
    maxLength: 200,
  }),
});

export const renderImport = (state: FormState, ctx: ConsoleContext): PageContent => ({
  title: "Import a bank statement",
  crumbs: [{ label: "Deposits", href: here(ctx, "/deposits") }],
  body: stack(
    panel(
      { title: "What happens" },
      facts([
        [
          "Matching",
          "Each payment is matched with a deposit by its reference and amount. You see the matches before anything changes.",
        ],
        [
          "Complete payments",
          "They are received and credited once you confirm. Above the limit a second person approves.",
        ],
        ["Other amounts", "They are received. You credit or reject each of them on its page."],
        ["The same line again", "A line of a statement counts once, however often it is imported."],
      ]),
    ),
    panel(
      { title: "Statement" },
      importForm.render({
        action: "/deposits/import",
        hidden: ctx.hidden(),
        state,
        submit: "Show matches",
        cancelHref: "/deposits",
        takesFiles: true,
      }),
    ),
    columnsPanel(STATEMENT_FILE, "/deposits/import"),
  ),
});

export const STATEMENT_FILE: readonly ImportColumn[] = [
  { name: "date", isRequired: true, what: "When the bank booked it.", example: "2030-01-31" },
  {
    name: "amount",
    isRequired: true,
    what: "With a point and without other marks. Rows below zero are passed over.",
    example: "500.00",
  },
  { name: "currency", isRequired: true, what: "Three letters.", example: "EUR" },
  {
    name: "reference",
    what: "The payment reference. Or in text: one of the two columns is needed.",
    example: "",
  },
  { name: "text", what: "What the payer wrote.", example: "Example payment without a reference" },
  { name: "payer", what: "Who paid.", example: "Example Ltd" },
  { name: "account", what: "Your account that it arrived on.", example: "" },
  { name: "id", what: "The bank's own reference of the line.", example: "" },
];

const rowsText = (count: number): string => `${countText(count)} ${count === 1 ? "row" : "rows"}`;

type Counts = Readonly<Record<string, number>>;

/** What the import would do, and the question whether it should. */
export function depositPreview(job: JobDetails, ctx: ConsoleContext, discard: Html | undefined): Html {
  const counts = (job.result?.counts ?? {}) as Counts;
  const exact = counts.exact ?? 0;
  const others = (counts.partial ?? 0) + (counts.over ?? 0);
  const matched = exact + others;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const odd = counts.bad_row ?? 0;
  const asks = mayConfirm(job, ctx)
    ? confirm({
        title: "Receive and credit these payments?",
        consequences: [
          ["Matched", `${countText(matched)} of ${rowsText(total)}`],
          ["Complete", `${rowsText(exact)}: credited at once, or proposed above the limit`],
          ["Another amount", `${rowsText(others)}: received, and credited by a person`],
          ...(odd === 0 ? [] : [["Left out", `${rowsText(odd)} that cannot be read, listed below`] as const]),
          ["All other rows", "Nothing happens with them."],
        ],
        hidden: ctx.hidden(),
        action: `/jobs/${job.id}/confirm`,
        verb: "Receive and credit",
        cancelHref: "/jobs",
        cancel: "Decide later",
        isDestructive: false,
      })
    : notice("wait", "This import waits for a confirmation", "Deposits are credited by finance.");
  return stack(asks, discard, matchesPanel(job, ctx));
}

/** What became of each deposit, and the rows again. */
export const importedDeposits = (job: JobDetails, ctx: ConsoleContext): Html =>
  stack(
    tablePanel<AppliedDeposit>({
      title: "Deposits",
      caption: "Deposits",
      rows: (job.result?.deposits ?? []) as AppliedDeposit[],
      columns: [
        { head: "Outcome", cell: ({ outcome }) => wordChip(outcome) },
        { head: "Deposit", cell: ({ depositId }) => depositLink(depositId, depositId, ctx) },
        { head: "Rows", cell: ({ rows }) => rows.join(", ") },
        { head: "What", wraps: true, cell: ({ detail }) => detail },
      ],
      empty: emptyState("Nothing matched", "No deposit was changed."),
    }),
    matchesPanel(job, ctx),
  );

const matchesPanel = (job: JobDetails, ctx: ConsoleContext): Html =>
  tablePanel<ShownMatch>({
    title: "Rows",
    caption: "Rows",
    rows: (job.result?.matches ?? []) as ShownMatch[],
    columns: [
      { head: "Row", numeric: true, cell: ({ row }) => String(row) },
      { head: "Result", cell: ({ result }) => wordChip(result, TONES[result] ?? "quiet") },
      { head: "Amount", numeric: true, cell: ({ amount }) => amount },
      {
        head: "Deposit",
        cell: ({ depositId, reference }) =>
          depositId === ""
            ? html`<span class="quiet">–</span>`
            : depositLink(depositId, showReference(reference), ctx),
      },
      { head: "Why", wraps: true, cell: ({ detail }) => detail },
    ],
    empty: emptyState("No payments", "The statement has no incoming payments."),
  });

const depositLink = (id: string, text: string, ctx: ConsoleContext): Html =>
  html`<a class="link mono" href="${here(ctx, `/deposits/${id}`)}">${text}</a>`;

const TONES: Readonly<Record<string, Tone>> = {
  exact: "good",
  partial: "warn",
  over: "warn",
  doubled: "warn",
  bad_row: "bad",
  wrong_checksum: "bad",
  other_currency: "bad",
};
