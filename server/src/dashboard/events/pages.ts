import { getEvent, listEvents } from "../../events/read-events.ts";
import { deliveriesOfEvents } from "../../webhooks/history/get-delivery.ts";
import { askedOf, filtersOf } from "../asked-of.ts";
import { BASE, type DashboardContext, type DashboardDeps, type DashboardFace, tenantOf } from "../session.ts";
import { renderEvent } from "./render-event.ts";
import { EVENT_FILTERS, type EventList, renderEvents } from "./render-events.ts";

type EventPageDeps = Pick<DashboardDeps, "db" | "cursors">;

/** The feed of events, each with its deliveries. */
export function eventPages(face: DashboardFace, deps: EventPageDeps): void {
  face.page({
    path: `${BASE}/events`,
    permission: "events.read",
    load: (ctx) => loadEvents(deps, ctx),
    render: renderEvents,
  });
  face.page({
    path: `${BASE}/events/:id`,
    permission: "events.read",
    load: async (ctx) => {
      const event = await getEvent(deps.db, tenantOf(ctx), ctx.params.id ?? "");
      const deliveries = await deliveriesOfEvents(deps.db, tenantOf(ctx), [event.id]);
      return { event, deliveries: deliveries.get(event.id) ?? [] };
    },
    render: ({ event, deliveries }, ctx) => renderEvent(event, deliveries, ctx),
  });
}

async function loadEvents(deps: EventPageDeps, ctx: DashboardContext): Promise<EventList> {
  const tenant = tenantOf(ctx);
  const filters = filtersOf(ctx, EVENT_FILTERS);
  const { data, nextCursor } = await listEvents(deps, tenant, askedOf(ctx, filters));
  const ids = data.map(({ id }) => id);
  return { data, nextCursor, filters, deliveries: await deliveriesOfEvents(deps.db, tenant, ids) };
}
