import type { EventView } from "../../events/event-schemas.ts";
import { EVENT_TYPES } from "../../events/event-types.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { idText } from "../../web/parts/copy.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { time } from "../../web/parts/time.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import type { EventDeliveryRow } from "../../webhooks/history/detail-queries.ts";
import { BASE, type DashboardContext, environmentOf, here, placed } from "../session.ts";
import { deliveryChip } from "../webhooks/section.ts";

export const EVENTS = `${BASE}/events`;
export const EVENT_FILTERS = ["type", "orderId", "from", "to"] as const;

export type EventList = {
  data: readonly EventView[];
  nextCursor: string;
  filters: Record<(typeof EVENT_FILTERS)[number], string>;
  deliveries: ReadonlyMap<string, readonly EventDeliveryRow[]>;
};

/** The feed, newest first. */
export function renderEvents(list: EventList, ctx: DashboardContext): PageContent {
  const path = here(ctx, EVENTS, list.filters);
  return {
    title: "Events",
    subtitle: "What happened to your orders, and whether your endpoints were told. Kept for 30 days.",
    body: tablePanel<EventView>({
      caption: "Events",
      filters: eventFilters(list, ctx),
      rows: list.data,
      columns: [
        { head: "Time", cell: ({ created_at }) => time(new Date(created_at), ctx.now) },
        {
          head: "Type",
          cell: ({ id, type }) => html`<a class="link" href="${here(ctx, `${EVENTS}/${id}`)}">${type}</a>`,
        },
        { head: "About", cell: (event) => subjectOf(event, ctx) },
        {
          head: "Deliveries",
          wraps: true,
          cell: ({ id }) => deliveryChips(list.deliveries.get(id) ?? [], ctx),
        },
        {
          head: "Event id",
          cell: ({ id }) => idText(id, { short: true, href: here(ctx, `${EVENTS}/${id}`) }),
        },
      ],
      empty: emptyEvents(list, path),
      pages: {
        path,
        next: list.nextCursor || undefined,
        hasFirst: ctx.query.cursor !== undefined,
        shown: `${list.data.length} ${list.data.length === 1 ? "event" : "events"}`,
      },
    }),
  };
}

/** The order or endpoint that an event is about, as far as its data names one. */
export function subjectOf({ data }: EventView, ctx: DashboardContext): HtmlValue {
  const members = data as Readonly<Record<string, unknown>>;
  const { order_id: orderId, webhook_id: webhookId } = members;
  if (typeof orderId === "string")
    return idText(orderId, { short: true, href: here(ctx, `${BASE}/orders/${orderId}`) });
  if (typeof webhookId === "string")
    return idText(webhookId, { short: true, href: here(ctx, `${BASE}/webhooks/${webhookId}`) });
  return html`<span class="quiet">–</span>`;
}

const deliveryChips = (deliveries: readonly EventDeliveryRow[], ctx: DashboardContext): HtmlValue =>
  deliveries.length === 0
    ? html`<span class="quiet">no endpoint</span>`
    : deliveries
        .toSorted((a, b) => (a.url < b.url ? -1 : 1))
        .map(
          (one) =>
            html`<div class="delivery">${deliveryChip(one)} <a class="link" href="${here(ctx, `${BASE}/deliveries/${one.id}`)}">${URL.parse(one.url)?.host ?? one.url}</a></div>`,
        );

function emptyEvents({ filters, nextCursor }: EventList, path: string): Html {
  if (nextCursor !== "")
    return emptyState(
      "No match so far",
      "Older events have not been looked through yet.",
      linkButton("Look further back", href(path, { cursor: nextCursor })),
    );
  if (Object.values(filters).some((text) => text !== ""))
    return emptyState("No event matches", "Change or clear the filters.");
  return emptyState("No events yet", "An event appears here when an order is fulfilled or refunded.");
}

const eventFilters = ({ filters }: EventList, ctx: DashboardContext): Html =>
  filterBar({
    action: placed(ctx, EVENTS),
    keep: { env: environmentOf(ctx) === "test" ? "test" : undefined },
    filters: [
      {
        kind: "select",
        name: "type",
        label: "Type",
        value: filters.type,
        options: EVENT_TYPES.map((type) => [type, type]),
      },
      { kind: "text", name: "orderId", label: "Order", value: filters.orderId, placeholder: "ord_…" },
      { kind: "date", name: "from", label: "From", value: filters.from },
      { kind: "date", name: "to", label: "To", value: filters.to },
    ],
  });
