import Type, { type Static } from "typebox";
import { named } from "../http/named-schema.ts";
import { pageOf } from "../http/page.ts";

const EVENT_ID = "evt_01m7ef4g9je00974k1yf0xf7j3";

/** SPEC.md, Event envelope: the only shape beside errors that is written in snake_case. */
const Event = named(
  "Event",
  Type.Object(
    {
      id: Type.String({ description: "Event id, which also comes as `Service-Event-Id`." }),
      type: Type.String({ description: "Event type. New ones are added at any time." }),
      created_at: Type.String({ format: "date-time" }),
      data: Type.Object(
        {
          order_id: Type.Optional(Type.String({ description: "With `order.…`: the order." })),
          status: Type.Optional(
            Type.String({
              description: "With `order.…`: `fulfilled`, `refunded` or `partially_refunded`.",
            }),
          ),
          webhook_id: Type.Optional(
            Type.String({ description: "With `webhook.test`: the endpoint that was tested." }),
          ),
        },
        { description: "What happened. Never a code: fetch those with your key." },
      ),
    },
    {
      description: "An event, exactly as it is delivered.",
      examples: [
        {
          id: EVENT_ID,
          type: "order.fulfilled",
          created_at: "2030-01-31T12:00:00.000Z",
          data: { order_id: "ord_01m7ef4g9je00974k1yf0xf7j3", status: "fulfilled" },
        },
      ],
    },
  ),
);

export const EventReply = named("EventReply", Type.Object({ event: Event }));
export const EventPage = named("EventPage", pageOf(Event));

export const EventTypeList = named(
  "EventTypeList",
  Type.Object({
    data: Type.Array(
      Type.Object(
        { type: Type.String(), description: Type.String() },
        {
          examples: [
            {
              type: "order.fulfilled",
              description: "An order was fulfilled and its codes are ready to fetch.",
            },
          ],
        },
      ),
    ),
  }),
);

export type EventView = Static<typeof Event>;
