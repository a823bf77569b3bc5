import { EVENT_TYPES, type EventType } from "./event-types.ts";

/** What there is to subscribe to, and when each of them occurs. */
export const eventTypeList = (): { type: EventType; description: string }[] =>
  EVENT_TYPES.map((type) => ({ type, description: DESCRIPTIONS[type] }));

const DESCRIPTIONS: Readonly<Record<EventType, string>> = {
  "order.fulfilled": "An order was fulfilled and its codes are ready to fetch.",
  "order.refunded": "An order was refunded, wholly or in part; `status` tells which.",
  "webhook.test":
    "You asked for a test delivery. It goes to the endpoint that was tested, subscribed or not.",
};
