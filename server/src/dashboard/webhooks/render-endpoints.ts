import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { stack } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type HtmlValue, html } from "../../web/template/html.ts";
import type { EndpointRow } from "../../webhooks/endpoints/endpoint-queries.ts";
import { type EndpointHealth, failuresText } from "../../webhooks/health/read-health.ts";
import { type DashboardContext, here } from "../session.ts";
import { eventsText } from "./endpoint-form.ts";
import { endpointPath, lastSuccess, mayManage, WEBHOOKS } from "./section.ts";

export type ListedEndpoint = { row: EndpointRow; health: EndpointHealth };

/** All endpoints of an environment with their health. There are few, so there are no pages. */
export function renderEndpoints(endpoints: readonly ListedEndpoint[], ctx: DashboardContext): PageContent {
  const add = mayManage(ctx)
    ? linkButton("Add endpoint", here(ctx, `${WEBHOOKS}/new`), { kind: "main" })
    : undefined;
  return {
    title: "Webhooks",
    subtitle: "Where we send events about your orders.",
    ...(add && endpoints.length > 0 ? { actions: add } : {}),
    body: stack(
      tablePanel({
        caption: "Endpoints",
        rows: endpoints,
        columns: [
          { head: "URL", wraps: true, cell: ({ row }) => urlCell(row, ctx) },
          { head: "Status", cell: ({ health }) => chip(health.state) },
          { head: "Last success", cell: ({ health }) => lastSuccess(health, ctx.now) },
          { head: "Failures", wraps: true, cell: ({ health }) => failingCell(health, ctx.now) },
          { head: "Added", cell: ({ row }) => time(row.createdAt, ctx.now) },
        ],
        empty: emptyState(
          "No endpoints yet",
          mayManage(ctx)
            ? "Add one, and we send it an event as soon as an order is fulfilled or refunded."
            : "An owner or a developer of your team can add one.",
          add,
        ),
      }),
    ),
  };
}

const urlCell = (row: EndpointRow, ctx: DashboardContext): HtmlValue =>
  twoLines(
    html`<a class="link" href="${here(ctx, endpointPath(row.id))}">${row.url}</a>`,
    eventsText(row.events),
  );

function failingCell({ state, failingSince, recent, disabledAt }: EndpointHealth, now: Date): HtmlValue {
  if (!failingSince) return html`<span class="quiet">–</span>`;
  if (state === "disabled") return time(failingSince, now);
  return twoLines(
    html`${failuresText(recent)}, since ${time(failingSince, now)}`,
    disabledAt ? html`disabled ${time(disabledAt, now)} unless one succeeds` : "sent again by itself",
  );
}
