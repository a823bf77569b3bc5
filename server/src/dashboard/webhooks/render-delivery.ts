import type { PageContent } from "../../web/layout/frame.ts";
import { button } from "../../web/parts/button.ts";
import { chip, httpChip } from "../../web/parts/chip.ts";
import { codeBlock, disclosure, layOutJson } from "../../web/parts/code-block.ts";
import { idText } from "../../web/parts/copy.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { columns, facts, panel, stack } from "../../web/parts/panel.ts";
import { exactly, time } from "../../web/parts/time.ts";
import { attrs, type Html, html } from "../../web/template/html.ts";
import { type DeliveryDetail, hasOlderAttempts, sentHeaders } from "../../webhooks/history/get-delivery.ts";
import type { AttemptRow } from "../../webhooks/history/history-queries.ts";
import { BASE, type DashboardContext, here } from "../session.ts";
import { endpointCrumb, webhooksCrumb } from "./render-endpoint-form.ts";
import { DELIVERIES, deliveryChip, endpointPath, mayManage, plural } from "./section.ts";

/** One delivery: what was sent, and what the receiver answered each time. */
export function renderDelivery(
  delivery: DeliveryDetail,
  ctx: DashboardContext,
  refused?: string,
): PageContent {
  const endpoint = { id: delivery.webhookId, url: delivery.url };
  return {
    title: delivery.id,
    heading: idText(delivery.id),
    crumbs: [webhooksCrumb(ctx), endpointCrumb(ctx, endpoint)],
    subtitle: delivery.eventType,
    ...(mayManage(ctx) && delivery.isActive ? { actions: redeliverForm(delivery, ctx) } : {}),
    body: stack(
      refused === undefined ? undefined : notice("bad", "This was not done", refused),
      // Read again while it waits, so that the result of a test event appears.
      html`<div id="delivery"${attrs({ "up-poll": delivery.status === "pending" })}>${columns(
        stack(
          hasOlderAttempts(delivery)
            ? html`<p class="quiet">The latest ${delivery.attempts.length} of ${plural(delivery.attemptCount, "attempt")}.</p>`
            : undefined,
          ...attemptPanels(delivery, ctx),
        ),
        stack(summary(delivery, ctx), bodyPanel(delivery)),
      )}</div>`,
    ),
  };
}

const redeliverForm = (delivery: DeliveryDetail, ctx: DashboardContext): Html =>
  html`<form method="post" action="${here(ctx, `${DELIVERIES}/${delivery.id}/redeliver`)}">${ctx.hidden()}${button("Redeliver", { kind: "main" })}</form>`;

const summary = (delivery: DeliveryDetail, ctx: DashboardContext): Html =>
  panel(
    { title: "Delivery" },
    facts([
      ["Status", html`${deliveryChip(delivery)} after ${plural(delivery.attemptCount, "attempt")}`],
      [
        "Event",
        idText(delivery.eventId, { href: here(ctx, `${BASE}/events/${delivery.eventId}`), short: true }),
      ],
      ...(delivery.orderId === null
        ? []
        : [
            [
              "Order",
              idText(delivery.orderId, {
                href: here(ctx, `${BASE}/orders/${delivery.orderId}`),
                short: true,
              }),
            ] as const,
          ]),
      [
        "Endpoint",
        html`<a class="link" href="${here(ctx, endpointPath(delivery.webhookId))}">${delivery.url}</a>`,
      ],
      ["Created", time(delivery.createdAt, ctx.now)],
      ...(delivery.deliveredAt ? [["Delivered", time(delivery.deliveredAt, ctx.now)] as const] : []),
      ...(delivery.nextAttemptAt ? [["Next attempt", time(delivery.nextAttemptAt, ctx.now)] as const] : []),
    ]),
  );

const bodyPanel = ({ body }: DeliveryDetail): Html =>
  panel(
    { title: "Request body", aside: "the same in every attempt" },
    codeBlock("Request body", layOutJson(body), body),
  );

/** Newest first: what happened last is what people look for. */
const attemptPanels = (delivery: DeliveryDetail, ctx: DashboardContext): Html[] =>
  delivery.attempts.length === 0
    ? [
        panel(
          { title: "Attempts", flush: true },
          emptyState(
            "Not tried yet",
            delivery.nextAttemptAt
              ? html`The first attempt is due ${time(delivery.nextAttemptAt, ctx.now)}.`
              : "The endpoint was disabled before the first attempt.",
          ),
        ),
      ]
    : delivery.attempts.toReversed().map((attempt) => attemptPanel(delivery, attempt));

function attemptPanel(delivery: DeliveryDetail, attempt: AttemptRow): Html {
  const at = new Date(attempt.at);
  const answer = attempt.responseBody
    ? html`<p class="quiet">Answer, first 4 KiB</p>${codeBlock(`Answer to attempt ${attempt.number}`, attempt.responseBody)}`
    : attempt.status === null
      ? undefined
      : html`<p class="quiet">The answer had no body.</p>`;
  return panel(
    {
      title: `Attempt ${attempt.number}`,
      aside: html`${attempt.status === null ? chip(attempt.error ?? "failed", "bad") : httpChip(attempt.status)} ${attempt.latencyMs} ms`,
    },
    html`${facts([
      ["Sent", exactly(at)],
      ...(attempt.error === null ? [] : [["Error", explainError(attempt.error)] as const]),
    ])}${answer}${
      attempt.responseHeaders
        ? disclosure(
            "Answer headers",
            codeBlock(`Answer headers of attempt ${attempt.number}`, attempt.responseHeaders),
          )
        : undefined
    }${disclosure(
      "Request headers",
      codeBlock(
        `Request headers of attempt ${attempt.number}`,
        [
          `POST ${delivery.url}`,
          ...sentHeaders(delivery, at).map(([name, value]) => `${name}: ${value}`),
        ].join("\n"),
      ),
    )}`,
  );
}

const ERRORS: Readonly<Record<string, string>> = {
  timeout: "Your receiver did not answer within 15 seconds.",
  connect_timeout: "No connection within 5 seconds.",
  connection_refused: "Nothing listens at this address and port.",
  connection_reset: "The connection was closed before an answer came.",
  connection_failed: "No connection could be made. Check the name and the port.",
  unreachable: "The address cannot be reached from the internet.",
  tls_error: "The certificate was not accepted. It must be valid, complete and made out for this host.",
  bad_response: "The answer was not valid HTTP.",
  address_refused: "The host resolves to an address that is not public.",
  url_not_allowed: "The URL is no longer allowed.",
};

const explainError = (error: string): string =>
  Object.hasOwn(ERRORS, error) ? `${error}: ${ERRORS[error]}` : error;
