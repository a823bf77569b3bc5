import { DEPOSIT_STATUSES } from "../../deposits/deposit.ts";
import type { NamedDeposit } from "../../deposits/deposit-queries.ts";
import { showReference } from "../../deposits/reference.ts";
import type { Job } from "../../jobs/list-jobs.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { environmentOf, here } from "../../web/pages/here.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { money } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { stack } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { jobPath } from "../jobs/job-rights.ts";
import { stateChip } from "../jobs/render-jobs.ts";
import { type ConsoleContext, may } from "../session.ts";
import type { DepositsData } from "./load-deposits.ts";

const PATH = "/deposits";

/** The deposits of all resellers, newest first, and the last bank statements. */
export function renderDeposits(data: DepositsData, ctx: ConsoleContext): PageContent {
  const { status, rows, nextCursor, imports } = data;
  return {
    title: "Deposits",
    subtitle: "Money that resellers send. Receive it when it has arrived, then credit it to the wallet.",
    ...(may(ctx, "deposits.manage")
      ? { actions: linkButton("Import a bank statement", `${PATH}/import`, { kind: "main" }) }
      : {}),
    body: stack(
      tablePanel<NamedDeposit>({
        caption: "Deposits",
        rows,
        filters: filterBar({
          action: PATH,
          keep: environmentOf(ctx) === "test" ? { env: "test" } : {},
          filters: [
            {
              kind: "select",
              name: "status",
              label: "Status",
              value: status ?? "",
              options: DEPOSIT_STATUSES.map((one) => [one, one] as const),
            },
          ],
        }),
        columns: [
          {
            head: "Status",
            cell: (row) => {
              const proposalId = data.waiting.get(row.id);
              if (proposalId === undefined) return chip(row.status);
              const proposal = html`<a class="link" href="${here(ctx, `/money/proposals/${proposalId}`)}">waits for approval</a>`;
              return html`${chip(row.status)} ${proposal}`;
            },
          },
          {
            head: "Reference",
            cell: (row) =>
              html`<a class="link mono" href="${here(ctx, `${PATH}/${row.id}`)}">${showReference(row.reference)}</a>`,
          },
          {
            head: "Reseller",
            cell: (row) =>
              html`<a class="link" href="${here(ctx, `/resellers/${row.resellerId}`)}">${row.resellerName}</a>`,
          },
          { head: "Requested", cell: (row) => time(row.createdAt, ctx.now) },
          { head: "Amount", numeric: true, cell: (row) => money(row.amountMinor, row.currency) },
          { head: "Received", numeric: true, cell: receivedCell },
        ],
        empty: emptyState("No deposits", "Resellers request deposits in their dashboard or with the API."),
        pages: {
          path: here(ctx, status === undefined ? PATH : `${PATH}?status=${status}`),
          next: nextCursor,
          hasFirst: ctx.query.cursor !== undefined,
        },
      }),
      imports.length === 0 ? undefined : importsPanel(imports, ctx),
    ),
  };
}

const receivedCell = ({ receivedMinor, amountMinor, currency }: NamedDeposit): Html =>
  receivedMinor === null
    ? html`<span class="quiet">–</span>`
    : html`${money(receivedMinor, currency)}${receivedMinor === amountMinor ? "" : html` ${chip(receivedMinor < amountMinor ? "less" : "more", "warn")}`}`;

const importsPanel = (imports: readonly Job[], ctx: ConsoleContext): Html =>
  tablePanel<Job>({
    title: "Bank statements",
    caption: "Bank statements",
    rows: imports,
    columns: [
      { head: "State", cell: (job) => stateChip(job) },
      { head: "Import", cell: (job) => html`<a class="link" href="${jobPath(job.id)}">${job.title}</a>` },
      { head: "Started", cell: (job) => time(job.createdAt, ctx.now) },
    ],
    empty: emptyState("No imports yet", "Import a bank statement to match it with deposits."),
  });
