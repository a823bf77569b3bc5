import type { Connection } from "./http/connection.js";
import { type Listing } from "./http/listing.js";
import type { CallOptions } from "./types/common.js";
import type { EventFilters, EventType, ScripEvent } from "./webhooks/webhook-types.js";
export type EventMethods = {
    /** Events, newest first. Use it to find events that your endpoint missed. */
    list(filters?: EventFilters, options?: CallOptions): Listing<ScripEvent>;
    get(id: string, options?: CallOptions): Promise<ScripEvent>;
};
export type EventTypeMethods = {
    /** The event types that you can subscribe to, on one page. */
    list(options?: CallOptions): Listing<EventType>;
};
export declare const eventMethods: (connection: Connection) => EventMethods;
export declare const eventTypeMethods: (connection: Connection) => EventTypeMethods;
