import { EVENT_TABLE, EVENT_TYPES, type EventType } from "../../events/event-types.ts";

/** What the server sends to endpoints, for the API reference: one operation of the receiver for each event type. */
export const describeDeliveries = (): Record<string, { post: object }> =>
  Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: describeDelivery(type) }]));

const describeDelivery = (type: EventType): object => ({
  operationId: EVENT_TABLE[type].operationId,
  tags: ["Events"],
  summary: type,
  description: `${EVENT_TABLE[type].description}\n\n${HOW_TO_RECEIVE}`,
  security: [],
  parameters: deliveryHeaders,
  requestBody: {
    required: true,
    content: { "application/json": { schema: { $ref: "#/components/schemas/Event" } } },
  },
  responses: {
    "200": { description: "Any 2xx status acknowledges the event." },
    "4XX": {
      description:
        "With any other status, or without an answer within 15 seconds, the event is sent again later.",
    },
  },
});

const HOW_TO_RECEIVE =
  "Verify `Service-Signature` over the raw body before you parse it. Answer 2xx right away and do the work afterwards. Events are delivered at least once and in any order: use `Service-Event-Id` to skip duplicates.";

const header = (name: string, description: string, example: string): object => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string", examples: [example] },
});

const deliveryHeaders = [
  header(
    "Service-Signature",
    "`t` is the time of this attempt in Unix seconds. `v1` is the hex HMAC-SHA256 of `t`, a dot and the raw body, keyed with the whole `whsec_…` secret. During a rotation there are several `v1`: accept the event if any of them matches. Refuse a `t` that is more than five minutes from now.",
    "t=1893499200,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
  ),
  header("Service-Event-Id", "The event's id.", "evt_01m7ef4g9je00974k1yf0xf7j3"),
  header("Service-Event-Type", "The event's type.", "order.fulfilled"),
];
