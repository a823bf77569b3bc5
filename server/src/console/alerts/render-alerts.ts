import type { Alert, Alerts } from "../../alerts/list-alerts.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { button, linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { panel, row, stack } from "../../web/parts/panel.ts";
import { smallForm } from "../../web/parts/small-form.ts";
import { relativeTime, time } from "../../web/parts/time.ts";
import { type Column, twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { type ConsoleContext, may } from "../session.ts";
import { GUIDE_PATH } from "./guide-page.ts";

export type AlertsData = Alerts & {
  /** Who acknowledged, by id. */
  emails: ReadonlyMap<string, string>;
  getsLetters: boolean;
  sendsMail: boolean;
};

export const renderAlerts = (data: AlertsData, ctx: ConsoleContext, error?: string): PageContent => ({
  title: "Alerts",
  subtitle: data.evaluatedAt
    ? html`Looked at ${relativeTime(data.evaluatedAt, ctx.now)}. An alert ends by itself when its condition ends.`
    : "An alert ends by itself when its condition ends.",
  actions: linkButton("Operator's guide", GUIDE_PATH),
  body: stack(
    error === undefined ? undefined : notice("bad", error),
    data.isStale
      ? notice(
          "bad",
          "Nobody looks at the conditions",
          "No process has evaluated them in the last 5 minutes. Start one: scrip start.",
        )
      : undefined,
    openAlerts(data, ctx),
    letters(data, ctx),
    data.resolved.length === 0 ? undefined : resolvedAlerts(data, ctx),
  ),
});

const openAlerts = (data: AlertsData, ctx: ConsoleContext): Html =>
  tablePanel({
    title: "Open",
    caption: "Open alerts",
    id: "open-alerts",
    live: true,
    rows: data.open,
    columns: [
      WHAT,
      { head: "Raised", cell: ({ raisedAt }) => time(raisedAt, ctx.now) },
      { head: "State", cell: (alert) => stateCell(alert, data, ctx) },
      { head: "Guide", cell: ({ runbook }) => html`<a href="${`${GUIDE_PATH}#${runbook}`}">What to do</a>` },
      ...(may(ctx, "alerts.acknowledge")
        ? [
            {
              head: html`<span class="hidden">Acknowledge</span>`,
              cell: (alert: Alert) => acknowledge(alert, ctx),
            },
          ]
        : []),
    ],
    empty: emptyState("No open alerts", "Nothing needs you right now."),
  });

const WHAT: Column<Alert> = {
  head: "Alert",
  wraps: true,
  cell: ({ title, path, kind }) =>
    twoLines(path === undefined ? title : html`<a href="${path}">${title}</a>`, kind.replaceAll("_", " ")),
};

const stateCell = (
  { acknowledgedAt, acknowledgedId }: Alert,
  { emails }: AlertsData,
  ctx: ConsoleContext,
): Html =>
  acknowledgedAt === null
    ? chip("open")
    : twoLines(
        chip("acknowledged", "warn"),
        html`${emails.get(acknowledgedId ?? "") ?? acknowledgedId}, ${time(acknowledgedAt, ctx.now)}`,
      );

const acknowledge = ({ id, title, acknowledgedAt }: Alert, ctx: ConsoleContext): HtmlValue =>
  acknowledgedAt === null ? smallForm(ctx, `/alerts/${id}/ack`, id, "Acknowledge", title) : undefined;

function letters({ getsLetters, sendsMail }: AlertsData, ctx: ConsoleContext): Html {
  const what = getsLetters
    ? "New alerts are mailed to you: one letter for each round that raises some."
    : "New alerts are not mailed to you.";
  return panel(
    { title: "Mail" },
    html`<form method="post" action="/alerts/letters">${ctx.hidden()}<input type="hidden" name="send" value="${getsLetters ? "no" : "yes"}">${stack(
      html`<p>${what}${sendsMail ? undefined : " No mail server is set (SMTP_URL), so nothing is mailed."}</p>`,
      row(button(getsLetters ? "Stop mailing me" : "Mail me new alerts")),
    )}</form>`,
  );
}

const resolvedAlerts = (data: AlertsData, ctx: ConsoleContext): Html =>
  tablePanel({
    title: "Resolved",
    caption: "Resolved alerts",
    rows: data.resolved,
    columns: [
      WHAT,
      { head: "Raised", cell: ({ raisedAt }) => time(raisedAt, ctx.now) },
      { head: "Resolved", cell: ({ resolvedAt }) => (resolvedAt ? time(resolvedAt, ctx.now) : undefined) },
      {
        head: "Acknowledged by",
        cell: ({ acknowledgedId }) =>
          acknowledgedId === null ? "nobody" : (data.emails.get(acknowledgedId) ?? acknowledgedId),
      },
    ],
    empty: emptyState("Nothing was resolved lately", "Resolved alerts are kept for 90 days."),
  });
