import type { Job } from "../../jobs/list-jobs.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { progressBar } from "../../web/parts/code-block.ts";
import { countText } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { time } from "../../web/parts/time.ts";
import { type Column, twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { type ConsoleContext, may } from "../session.ts";
import { auditButtons } from "./audit-form.ts";
import { jobPath, mayRead } from "./job-rights.ts";

export type JobsData = {
  data: readonly Job[];
  nextBeforeId: string | undefined;
  /** Who started them, by id. */
  emails: ReadonlyMap<string, string>;
};

export const renderJobs = ({ data, nextBeforeId, emails }: JobsData, ctx: ConsoleContext): PageContent => ({
  title: "Jobs",
  subtitle: "Long work goes on when you leave the page, and when the process that runs it dies.",
  actions: html`${may(ctx, "orders.read") ? linkButton("Export orders", "/jobs/export") : undefined}${
    may(ctx, "system.manage") ? auditStart(ctx) : undefined
  }`,
  body: tablePanel({
    caption: "Jobs",
    id: "jobs",
    live: data.some(({ isEnded, state }) => !isEnded && state !== "ready"),
    rows: data,
    columns: jobColumns(emails, ctx),
    empty: emptyState(
      "No jobs yet",
      "Imports, exports and audits that you start are listed here for 90 days.",
    ),
    pages: {
      path: "/jobs",
      next: nextBeforeId,
      hasFirst: ctx.query.cursor !== undefined,
      shown: `${data.length} ${data.length === 1 ? "job" : "jobs"}`,
    },
  }),
});

const auditStart = (ctx: ConsoleContext): Html =>
  html`<form method="post" action="/jobs/audit">${ctx.hidden()}${auditButtons()}</form>`;

export const jobColumns = (emails: ReadonlyMap<string, string>, ctx: ConsoleContext): Column<Job>[] => [
  {
    head: "Job",
    wraps: true,
    cell: (job) =>
      mayRead(job, ctx)
        ? twoLines(html`<a href="${jobPath(job.id)}">${job.title}</a>`, aboutText(job))
        : job.title,
  },
  { head: "State", cell: stateChip },
  { head: "Progress", cell: progressOf },
  { head: "Started by", cell: ({ actorKind, actorId }) => emails.get(actorId) ?? actorKind },
  { head: "Created", cell: ({ createdAt }) => time(createdAt, ctx.now) },
  { head: "Ended", cell: ({ endedAt }) => (endedAt ? time(endedAt, ctx.now) : undefined) },
];

export const stateChip = ({ state, cancelAskedAt, isEnded }: Job): Html =>
  cancelAskedAt && !isEnded
    ? chip("cancelling", "warn")
    : chip(state, state === "ready" ? "warn" : undefined);

/** What the job is about, in a word or two. */
export function aboutText({ params, error }: Job): string {
  const about = ["productId", "endpointId", "resellerId", "environment", "status"]
    .map((name) => params[name])
    .filter((value) => typeof value === "string" && value !== "");
  return error ?? about.join(", ");
}

export const progressOf = (job: Job): HtmlValue => {
  if (job.isEnded) return undefined;
  const total = Number(job.total ?? 0n);
  return total > 0 ? progressBar(job.title, Number(job.done), total) : countText(job.done);
};
