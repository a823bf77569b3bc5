import type { Connection } from "./http/connection.ts";
import { type Listing, toListing } from "./http/listing.ts";
import { read, readList, segment } from "./http/read.ts";
import { REPLIES } from "./http/replies.ts";
import type { CallOptions } from "./types/common.ts";
import type { EventFilters, EventType, ScripEvent } from "./webhooks/webhook-types.ts";

export type EventMethods = {
  /** Events, newest first. Use it to find events that your endpoint missed. */
  list(filters?: EventFilters, options?: CallOptions): Listing<ScripEvent>;
  get(id: string, options?: CallOptions): Promise<ScripEvent>;
};

export type EventTypeMethods = {
  /** The event types that you can subscribe to, on one page. */
  list(options?: CallOptions): Listing<EventType>;
};

export const eventMethods = (connection: Connection): EventMethods => ({
  list: (filters, options) => readList(connection, () => "/v1/events", REPLIES.listEvents, filters, options),
  get: async (id, options) =>
    (await read(connection, `/v1/events/${segment(id)}`, REPLIES.getEvent, options)).event,
});

export const eventTypeMethods = (connection: Connection): EventTypeMethods => ({
  list: (options) =>
    toListing(async () => {
      const { data } = await read(connection, "/v1/event-types", REPLIES.listEventTypes, options);
      return { data, hasMore: false, nextCursor: "" };
    }),
});
