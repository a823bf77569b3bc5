import { EVENT_TYPES } from "../../events/event-types.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { button, linkButton } from "../../web/parts/button.ts";
import { chip, httpChip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { facts, panel, row, stack } from "../../web/parts/panel.ts";
import { exactTime, time } from "../../web/parts/time.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import { failuresText } from "../../webhooks/health/read-health.ts";
import { DELIVERY_STATUSES } from "../../webhooks/history/history-queries.ts";
import type { DeliveryView } from "../../webhooks/history/schemas.ts";
import { type DashboardContext, environmentOf, here, placed } from "../session.ts";
import { eventsText } from "./endpoint-form.ts";
import type { EndpointData } from "./load-endpoint.ts";
import { webhooksCrumb } from "./render-endpoint-form.ts";
import {
  deliveryChip,
  deliveryHref,
  endpointPath,
  hostOf,
  lastSuccess,
  mayManage,
  plural,
} from "./section.ts";

/** One endpoint: its health, what can be done with it, and its deliveries. */
export function renderEndpoint(data: EndpointData, ctx: DashboardContext, refused?: string): PageContent {
  const { endpoint, health } = data;
  return {
    title: hostOf(endpoint.url),
    crumbs: [webhooksCrumb(ctx)],
    subtitle: html`${chip(health.state)} ${eventsText(endpoint.events)}`,
    ...(mayManage(ctx) ? { actions: actions(data, ctx) } : {}),
    body: stack(
      refused === undefined ? undefined : notice("bad", "This was not done", refused),
      healthNotice(data, ctx),
      panel(
        { title: "Endpoint", ...(mayManage(ctx) ? { foot: moreActions(data, ctx) } : {}) },
        facts([
          ["Id", idText(endpoint.id)],
          ["URL", endpoint.url],
          ["Last success", lastSuccess(health, ctx.now)],
          ["Added", time(endpoint.createdAt, ctx.now)],
          ["Changed", time(endpoint.updatedAt, ctx.now)],
        ]),
      ),
      deliveryTable(data, ctx),
    ),
  };
}

/** Forms of one button each, which work without JavaScript. */
const actionForm = (ctx: DashboardContext, path: string, inside: HtmlValue, once = false): Html =>
  html`<form method="post" action="${here(ctx, path)}">${ctx.hidden({ once })}${inside}</form>`;

const actions = ({ endpoint }: EndpointData, ctx: DashboardContext): HtmlValue => [
  linkButton("Edit", here(ctx, endpointPath(endpoint.id, "edit"))),
  actionForm(
    ctx,
    endpointPath(endpoint.id, "state"),
    endpoint.active
      ? button("Disable", { name: "active", value: "no" })
      : button("Enable", { kind: "main", name: "active", value: "yes" }),
  ),
  endpoint.active
    ? actionForm(ctx, endpointPath(endpoint.id, "test"), button("Send test event", { kind: "main" }), true)
    : undefined,
];

const moreActions = ({ endpoint }: EndpointData, ctx: DashboardContext): Html =>
  row(
    linkButton("Rotate secret", here(ctx, endpointPath(endpoint.id, "rotate"))),
    linkButton("Recover events", here(ctx, endpointPath(endpoint.id, "recover"))),
    linkButton("Remove", here(ctx, endpointPath(endpoint.id, "remove")), { kind: "danger" }),
  );

function healthNotice({ endpoint, health }: EndpointData, ctx: DashboardContext): Html | undefined {
  const { failingSince, disabledAt } = health;
  const failures = failingSince ? `${failuresText(health.recent)}, since ${exactTime(failingSince)}` : "";
  if (health.state === "retrying")
    return notice(
      "warn",
      failures,
      "We send them again by ourselves. The endpoint counts as failing after a second failure and two minutes without a success.",
    );
  if (failingSince && disabledAt)
    return notice(
      "bad",
      failures,
      html`Every attempt since then has failed. Fix the receiver, then send a test event. If nothing succeeds, the endpoint is disabled ${time(disabledAt, ctx.now)}, on ${exactTime(disabledAt)}.`,
    );
  if (!endpoint.active)
    return notice(
      "warn",
      "This endpoint is disabled",
      html`Nothing is sent to it${failingSince ? html`. It had been failing since ${exactTime(failingSince)}` : undefined}. Enable it, then recover the events that it missed; events are kept for 30 days.`,
    );
  return undefined;
}

function deliveryTable({ endpoint, filters, deliveries }: EndpointData, ctx: DashboardContext): Html {
  const path = here(ctx, endpointPath(endpoint.id), filters);
  const isFiltered = Object.values(filters).some((value) => value !== "");
  const canRedeliver = mayManage(ctx) && endpoint.active;
  return tablePanel<DeliveryView>({
    title: "Deliveries",
    caption: "Deliveries",
    id: "deliveries",
    filters: deliveryFilters(endpoint.id, filters, ctx),
    rows: deliveries.data,
    columns: [
      { head: "Status", cell: deliveryChip },
      {
        head: "Event",
        cell: (one) => html`<a class="link" href="${deliveryHref(ctx, one.id)}">${one.eventType}</a>`,
      },
      { head: "Delivery", cell: ({ id }) => idText(id, { short: true, href: deliveryHref(ctx, id) }) },
      { head: "Created", cell: ({ createdAt }) => time(new Date(createdAt), ctx.now) },
      { head: "Attempts", numeric: true, cell: ({ attemptCount }) => attemptCount },
      { head: "Last answer", cell: lastAnswer },
      { head: "Next attempt", cell: ({ nextAttemptAt }) => nextAttempt(nextAttemptAt, ctx.now) },
    ],
    ...(canRedeliver
      ? {
          selection: { name: "ids", value: ({ id }) => id, label: ({ id }) => `Select ${id}` },
          bulk: {
            action: here(ctx, endpointPath(endpoint.id, "redeliver")),
            hidden: ctx.hidden(),
            actions: button("Redeliver"),
          },
        }
      : {}),
    empty: emptyDeliveries(isFiltered, deliveries.nextCursor, path, ctx),
    pages: {
      path,
      next: deliveries.nextCursor || undefined,
      hasFirst: ctx.query.cursor !== undefined,
      shown: plural(deliveries.data.length, "delivery", "deliveries"),
    },
  });
}

/** A filtered page can be empty while older deliveries are still to be looked through. */
function emptyDeliveries(isFiltered: boolean, next: string, path: string, ctx: DashboardContext): Html {
  if (next !== "")
    return emptyState(
      "No match so far",
      "Older deliveries have not been looked through yet.",
      linkButton("Look further back", href(path, { cursor: next })),
    );
  if (isFiltered) return emptyState("No delivery matches", "Change or clear the filters.");
  return emptyState(
    "No deliveries yet",
    environmentOf(ctx) === "test"
      ? "Send a test event, or place a test order."
      : "Send a test event to see whether your receiver answers.",
  );
}

const deliveryFilters = (id: string, filters: EndpointData["filters"], ctx: DashboardContext): Html =>
  filterBar({
    action: placed(ctx, endpointPath(id)),
    keep: { env: environmentOf(ctx) === "test" ? "test" : undefined },
    filters: [
      {
        kind: "select",
        name: "status",
        label: "Status",
        value: filters.status,
        options: DELIVERY_STATUSES.map((status) => [status, status]),
      },
      {
        kind: "select",
        name: "eventType",
        label: "Event",
        value: filters.eventType,
        options: EVENT_TYPES.map((type) => [type, type]),
      },
      { kind: "text", name: "orderId", label: "Order", value: filters.orderId, placeholder: "ord_…" },
      { kind: "date", name: "from", label: "From", value: filters.from },
      { kind: "date", name: "to", label: "To", value: filters.to },
    ],
  });

function lastAnswer({ attempts, status }: DeliveryView): HtmlValue {
  const last = attempts.at(-1);
  if (!last) return html`<span class="quiet">${status === "failed" ? "never tried" : "not tried yet"}</span>`;
  return html`${last.status === undefined ? chip(last.error ?? "failed", "bad") : httpChip(last.status)} <span class="quiet">${last.latencyMs} ms</span>`;
}

const nextAttempt = (at: string | undefined, now: Date): HtmlValue =>
  at === undefined ? html`<span class="quiet">–</span>` : time(new Date(at), now);
