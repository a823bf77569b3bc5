import type { JobDetails } from "../../jobs/list-jobs.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { button, linkButton } from "../../web/parts/button.ts";
import { progressBar } from "../../web/parts/code-block.ts";
import { idText } from "../../web/parts/copy.ts";
import { countText } from "../../web/parts/money.ts";
import { notice } from "../../web/parts/notice.ts";
import { facts, panel, stack } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { importedDeposits } from "../deposits/render-import.ts";
import type { ConsoleContext } from "../session.ts";
import { supplierJobResult } from "../suppliers/render-supplier-job.ts";
import { mayCancel } from "./job-rights.ts";
import { stateChip } from "./render-jobs.ts";
import { importQuestion, refusedRows } from "./render-question.ts";

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
            kind: job.isEnded ? "main" : "plain",
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
      job.state === "ready" ? importQuestion(job, ctx) : undefined,
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
      .map(([name, value]): [string, HtmlValue] => [LABELS[name] ?? name, valueText(value)]),
    ...(job.state === "ready" ? [] : resultFacts(job)),
    ["Started by", emails.get(job.actorId) ?? job.actorKind],
    ["Created", time(job.createdAt, ctx.now)],
  ];
  if (job.endedAt) list.push(["Ended", time(job.endedAt, ctx.now)]);
  if (job.file)
    list.push([
      "File",
      `${job.file.name}, ${countText(job.file.bytes)} bytes, ${job.isEnded ? "kept for 7 days" : "kept while the import waits"}`,
    ]);
  return list;
};

const LABELS: Readonly<Record<string, string>> = {
  productId: "Product",
  supplierId: "Supplier",
  resellerId: "Reseller",
  endpointId: "Endpoint",
  environment: "Environment",
  full: "Checks everything",
  status: "Status",
  cost: "Cost of one code",
  currency: "Currency of the cost",
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
  repriced: "Costs that changed",
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
    .map(([name, value]) => [LABELS[name] ?? name, valueText(value)]);

const valueText = (value: unknown): string =>
  typeof value === "number"
    ? countText(value)
    : typeof value === "boolean"
      ? value
        ? "yes"
        : "no"
      : String(value);

const cancelForm = ({ id }: JobDetails, ctx: ConsoleContext): Html =>
  html`<form class="row" method="post" action="/jobs/${id}/cancel">${ctx.hidden()}${button("Cancel job")}<span class="quiet">An import that is cancelled changes nothing.</span></form>`;
