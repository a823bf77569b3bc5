import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { button, linkButton } from "../../web/parts/button.ts";
import { progressBar } from "../../web/parts/code-block.ts";
import { countText } from "../../web/parts/money.ts";
import { facts, panel, row, stack } from "../../web/parts/panel.ts";
import { exactly } from "../../web/parts/time.ts";
import { html } from "../../web/template/html.ts";
import type { EndpointRow } from "../../webhooks/endpoints/endpoint-queries.ts";
import type { RecoveryProgress } from "../../webhooks/history/recovery-progress.ts";
import { type DashboardContext, here } from "../session.ts";
import { endpointCrumb, webhooksCrumb } from "./render-endpoint-form.ts";
import { endpointPath } from "./section.ts";

const TIME_MAX_CHARACTERS = 40;

export const recoverForm = defineForm({
  since: textField({
    label: "From",
    hint: "A time in UTC, such as 2030-01-31T12:00:00Z. Events are kept for 30 days.",
    required: true,
    maxLength: TIME_MAX_CHARACTERS,
    isCode: true,
  }),
  until: textField({
    label: "Until",
    hint: "Leave it empty to recover everything until now.",
    maxLength: TIME_MAX_CHARACTERS,
    isCode: true,
  }),
});

const DAY_MS = 86_400_000;

/** From when the endpoint began to fail, or else a day ago. */
export const startRecover = ({ failingSince }: EndpointRow, now: Date): FormState =>
  recoverForm.start({ since: toSecond(failingSince ?? new Date(now.getTime() - DAY_MS)) });

const toSecond = (at: Date): string => at.toISOString().replace(/\.\d+Z$/, "Z");

/** Which events to send again. */
export const renderRecover = (
  endpoint: EndpointRow,
  state: FormState,
  ctx: DashboardContext,
): PageContent => ({
  title: "Recover events",
  crumbs: [webhooksCrumb(ctx), endpointCrumb(ctx, endpoint)],
  subtitle:
    "Sends what this endpoint missed in a period of time, and what failed. Events that arrived are not sent again.",
  body: panel(
    {},
    recoverForm.render({
      action: here(ctx, endpointPath(endpoint.id, "recover")),
      hidden: ctx.hidden(),
      state,
      submit: "Recover events",
      cancelHref: here(ctx, endpointPath(endpoint.id)),
    }),
  ),
});

export type Recovery = {
  endpoint: EndpointRow;
  span: { since: Date; until: Date };
  progress: RecoveryProgress;
  /** How many deliveries the recovery started, and whether more are left to start. */
  started: number;
  hasMore: boolean;
};

/** How far a recovery is. The panel is read again while deliveries wait. */
export function renderRecovery(recovery: Recovery, ctx: DashboardContext): PageContent {
  const { endpoint, span, progress, started } = recovery;
  const { pending, delivered, failed } = progress;
  const total = pending + delivered + failed;
  const counted = (count: number) => `${countText(count)}${progress.hasMore ? " or more" : ""}`;
  return {
    title: "Recovery",
    crumbs: [webhooksCrumb(ctx), endpointCrumb(ctx, endpoint)],
    body: stack(
      panel(
        { title: pending > 0 ? "Sending" : "Done", id: "recovery", live: pending > 0 },
        html`${progressBar("Deliveries that have ended", total - pending, total)}${facts([
          ["Period", html`${exactly(span.since)} to ${exactly(span.until)}`],
          ["Started", countText(started)],
          ["Waiting", counted(pending)],
          ["Delivered", counted(delivered)],
          ["Failed", counted(failed)],
        ])}`,
      ),
      row(
        recovery.hasMore ? continueForm(recovery, ctx) : undefined,
        linkButton("Show failed deliveries", here(ctx, endpointPath(endpoint.id), { status: "failed" })),
        linkButton("Go to the endpoint", here(ctx, endpointPath(endpoint.id))),
      ),
    ),
  };
}

const continueForm = ({ endpoint, span }: Recovery, ctx: DashboardContext) =>
  html`<form method="post" action="${here(ctx, endpointPath(endpoint.id, "recover"))}">${ctx.hidden()}<input type="hidden" name="since" value="${span.since.toISOString()}"><input type="hidden" name="until" value="${span.until.toISOString()}">${button("Recover the rest", { kind: "main" })}</form>`;
