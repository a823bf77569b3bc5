import type { EventType } from "./event-types.ts";

/** What an event says: never a code, a cost or a supplier. */
export type EventData = { order_id: string; status: string } | { webhook_id: string };

/** The envelope of SPEC.md as the text that is stored once, signed and sent as it is. */
export const eventBody = (event: { id: string; type: EventType; createdAt: Date; data: EventData }): string =>
  JSON.stringify({
    id: event.id,
    type: event.type,
    created_at: event.createdAt.toISOString(),
    data: event.data,
  });
