import type { ProductChange } from "../../catalog/files/import-queries.ts";
import type { PriceChange } from "../../catalog/prices/price-change-queries.ts";
import type { RowFault } from "../../jobs/kinds/collect-faults.ts";
import type { JobDetails } from "../../jobs/list-jobs.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { button, linkButton } from "../../web/parts/button.ts";
import { progressBar } from "../../web/parts/code-block.ts";
import { confirm } from "../../web/parts/confirm.ts";
import { idText } from "../../web/parts/copy.ts";
import { countText } from "../../web/parts/money.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { facts, panel, stack } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { depositPreview, importedDeposits } from "../deposits/render-import.ts";
import type { ConsoleContext } from "../session.ts";
import { supplierJobResult } from "../suppliers/render-supplier-job.ts";
import { mayCancel, mayConfirm } from "./job-rights.ts";
import { priceChangesPanel, productChangesPanel } from "./render-changes.ts";
import { stateChip } from "./render-jobs.ts";

export type JobData = { job: JobDetails; emails: ReadonlyMap<string, string> };

/** One job. The page is read again while the job is under way, up to its question, its result or its reason. */
export function renderJob({ job, emails }: JobData, ctx: ConsoleContext, error?: string): PageContent {
  const isMoving = !job.isEnded && job.state !== "ready";
  return {
    title: job.title,
    isMoving,
    crumbs: [{ label: "Jobs", href: "/jobs" }],
    subtitle: idText(job.id),
    ...(job.file
      ? {
          actions: linkButton(`Download ${job.file.name}`, `/jobs/${job.id}/result`, {
            kind: "main",
            download: true,
          }),
        }
      : {}),
    body: html`<div class="stack" id="job">${stack(
      error === undefined ? undefined : notice("bad", error),
      job.error === null ? undefined : notice("bad", job.error),
      panel(
        { title: "Progress", aside: stateChip(job), id: "progress" },
        stack(
          bar(job),
          facts(factsOf(job, emails, ctx)),
          isMoving && mayCancel(job, ctx) ? cancelForm(job, ctx) : undefined,
        ),
      ),
      job.state === "ready" ? previewOf(job, ctx) : undefined,
      job.kind === "import_deposits" && job.state === "succeeded" ? importedDeposits(job, ctx) : undefined,
      supplierJobResult(job),
      refusedRows(job),
    )}</div>`,
  };
}

function bar(job: JobDetails): HtmlValue {
  const total = Number(job.total ?? 0n);
  if (job.isEnded || total === 0) return undefined;
  return progressBar(job.title, Number(job.done), total);
}

const factsOf = (job: JobDetails, emails: ReadonlyMap<string, string>, ctx: ConsoleContext) => {
  const list: [string, HtmlValue][] = [
    ...Object.entries(job.params)
      .filter(([name, value]) => name !== "preview" && value !== null && value !== "")
      .map(([name, value]): [string, HtmlValue] => [LABELS[name] ?? name, String(value)]),
    ...(job.state === "ready" ? [] : resultFacts(job)),
    ["Started by", emails.get(job.actorId) ?? job.actorKind],
    ["Created", time(job.createdAt, ctx.now)],
  ];
  if (job.endedAt) list.push(["Ended", time(job.endedAt, ctx.now)]);
  if (job.file) list.push(["File", `${job.file.name}, ${countText(job.file.bytes)} bytes, kept for 7 days`]);
  return list;
};

const LABELS: Readonly<Record<string, string>> = {
  productId: "Product",
  supplierId: "Supplier",
  resellerId: "Reseller",
  endpointId: "Endpoint",
  environment: "Environment",
  status: "Status",
  cost: "Cost of one code",
  created: "New",
  updated: "Changed",
  unchanged: "Unchanged",
  imported: "Imported codes",
  level: "Codes in stock after it",
  orders: "Orders",
  recovered: "Recovered deliveries",
  rewrapped: "Rewrapped values",
  faults: "Refused rows",
  credited: "Credited deposits",
  proposed: "Deposits that wait for a second person",
  received: "Deposits received with another amount",
  refused: "Deposits that were refused",
  rows: "Rows to count as well",
  ok: "Everything holds",
  proposedNew: "New at the supplier",
  proposedGone: "Gone at the supplier",
  repriced: "Cost something else",
  left: "Left out",
  notTaken: "Could not be taken",
  from: "From",
  to: "To",
  opening: "Balance at the start",
  closing: "Balance at the end",
  deposits: "Paid in between",
  entries: "Entries",
  matched: "Matched",
  missing_there: "Missing there",
  missing_here: "Missing here",
  amount_differs: "Amount differs",
  duplicate: "Charged twice",
  reversal: "Taken back",
  no_outcome_here: "No outcome here",
  unreadable: "Not read",
  newReversals: "Taken back, and not known before",
  difference: "Difference, theirs less ours",
};

const LABEL_ORDER = Object.keys(LABELS);

/** Counts of the result, in the order of their labels: the database keeps none. Lists have their own tables. */
const resultFacts = ({ result }: JobDetails): [string, HtmlValue][] =>
  Object.entries(result ?? {})
    .filter(([name, value]) => name in LABELS && ["string", "number", "boolean"].includes(typeof value))
    .sort(([one], [other]) => LABEL_ORDER.indexOf(one) - LABEL_ORDER.indexOf(other))
    .map(([name, value]) => [
      LABELS[name] ?? name,
      typeof value === "number"
        ? countText(value)
        : typeof value === "boolean"
          ? value
            ? "yes"
            : "no"
          : String(value),
    ]);

const cancelForm = ({ id }: JobDetails, ctx: ConsoleContext): Html =>
  html`<form class="row" method="post" action="/jobs/${id}/cancel">${ctx.hidden()}${button("Cancel job")}<span class="quiet">An import that is cancelled changes nothing.</span></form>`;

const previewOf = (job: JobDetails, ctx: ConsoleContext): Html =>
  job.kind === "import_deposits" ? depositPreview(job, ctx, discardForm(job, ctx)) : preview(job, ctx);

function preview(job: JobDetails, ctx: ConsoleContext): Html {
  const {
    created = 0,
    updated = 0,
    unchanged = 0,
    resellers = 0,
  } = (job.result ?? {}) as Record<string, number>;
  const isPrices = job.kind === "import_prices";
  const what = isPrices ? "prices" : "products";
  const question = html`${countText(created)} new, ${countText(updated)} changed, ${countText(unchanged)} unchanged`;
  const asks = mayConfirm(job, ctx)
    ? confirm({
        title: `Import these ${what}?`,
        consequences: [
          ["What changes", question],
          ...(isPrices ? [["Whom it concerns", resellersText(resellers)] as const] : []),
          ["When", "All of it together, from the next request of every reseller on."],
          [
            "Undo",
            isPrices
              ? "Import the old prices again."
              : "Import an export of today again. Products are never deleted.",
          ],
        ],
        hidden: ctx.hidden(),
        action: `/jobs/${job.id}/confirm`,
        verb: `Import ${what}`,
        cancelHref: "/jobs",
        cancel: "Decide later",
        isDestructive: false,
      })
    : notice(
        "wait",
        "This import waits for a confirmation",
        isPrices ? "Prices are published by finance." : question,
      );
  return stack(
    asks,
    discardForm(job, ctx),
    isPrices
      ? priceChangesPanel((job.result?.changes ?? []) as PriceChange[])
      : productChangesPanel((job.result?.changes ?? []) as ProductChange[]),
  );
}

const discardForm = (job: JobDetails, ctx: ConsoleContext): Html | undefined =>
  mayCancel(job, ctx)
    ? html`<form class="row" method="post" action="/jobs/${job.id}/cancel">${ctx.hidden()}${button("Discard the file")}<span class="quiet">Nothing changes, and the file is erased. It is erased after a day in any case.</span></form>`
    : undefined;

const resellersText = (count: number): string =>
  count === 0 ? "no reseller yet" : `${countText(count)} ${count === 1 ? "reseller" : "resellers"}`;

function refusedRows({ result }: JobDetails): Html | undefined {
  const refused = result?.rows as RowFault[] | undefined;
  if (!refused) return undefined;
  const rows = refused.toSorted((one, other) => one.line - other.line);
  return tablePanel({
    title: rows.length >= 200 ? "The first 200 refused rows" : "Refused rows",
    caption: "Refused rows",
    rows,
    columns: [
      { head: "Line", numeric: true, cell: ({ line }) => String(line) },
      ...(rows.some(({ id }) => id !== undefined) ? [{ head: "Id", cell: ({ id }: RowFault) => id }] : []),
      { head: "Why", wraps: true, cell: ({ reason }) => reason },
    ],
    empty: emptyState("No row was refused", "The file as a whole was refused."),
  });
}
