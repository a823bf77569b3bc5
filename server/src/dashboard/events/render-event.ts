import type { EventView } from "../../events/event-schemas.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { codeBlock } from "../../web/parts/code-block.ts";
import { idText } from "../../web/parts/copy.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { columns, facts, panel, stack } from "../../web/parts/panel.ts";
import { exactly, time } from "../../web/parts/time.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import type { EventDeliveryRow } from "../../webhooks/history/detail-queries.ts";
import { BASE, type DashboardContext, here } from "../session.ts";
import { deliveryChip } from "../webhooks/section.ts";
import { EVENTS, subjectOf } from "./render-events.ts";

/** One event as it is delivered, and to whom. */
export const renderEvent = (
  event: EventView,
  deliveries: readonly EventDeliveryRow[],
  ctx: DashboardContext,
): PageContent => ({
  title: event.id,
  heading: idText(event.id),
  crumbs: [{ label: "Events", href: here(ctx, EVENTS) }],
  subtitle: event.type,
  body: columns(
    stack(
      deliveryTable(deliveries, ctx),
      panel(
        { title: "Body" },
        codeBlock("Body of the event", JSON.stringify(event, null, 2), JSON.stringify(event)),
      ),
    ),
    panel(
      { title: "Event" },
      facts([
        ["Type", event.type],
        ["Time", exactly(new Date(event.created_at))],
        ["About", subjectOf(event, ctx)],
      ]),
    ),
  ),
});

const deliveryTable = (deliveries: readonly EventDeliveryRow[], ctx: DashboardContext): Html =>
  tablePanel({
    title: "Deliveries",
    caption: "Deliveries",
    rows: deliveries,
    columns: [
      { head: "Status", cell: deliveryChip },
      {
        head: "Endpoint",
        wraps: true,
        cell: ({ id, url }) =>
          html`<a class="link" href="${here(ctx, `${BASE}/deliveries/${id}`)}">${url}</a>`,
      },
      { head: "Attempts", numeric: true, cell: ({ attemptCount }) => attemptCount },
      { head: "When", cell: (delivery) => whenOf(delivery, ctx.now) },
    ],
    empty: emptyState(
      "Sent to no endpoint",
      "No endpoint was subscribed to this type at that time. Add one, then recover the events that it missed.",
      linkButton("Go to webhooks", here(ctx, `${BASE}/webhooks`)),
    ),
  });

function whenOf({ deliveredAt, nextAttemptAt }: EventDeliveryRow, now: Date): HtmlValue {
  if (deliveredAt) return time(deliveredAt, now);
  return nextAttemptAt
    ? html`next attempt ${time(nextAttemptAt, now)}`
    : html`<span class="quiet">given up</span>`;
}
