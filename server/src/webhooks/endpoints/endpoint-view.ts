import { DEFAULT_TYPES } from "../../events/event-types.ts";
import type { EndpointRow } from "./endpoint-queries.ts";
import type { WebhookView } from "./schemas.ts";

/** An endpoint as its owner reads it. One that is subscribed to all types shows those that there are now. */
export const toEndpointView = (row: EndpointRow): WebhookView => ({
  id: row.id,
  url: row.url,
  events: row.events ?? [...DEFAULT_TYPES],
  active: row.active,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  ...(row.failingSince === null ? {} : { failingSince: row.failingSince.toISOString() }),
});
