import type { Static } from "typebox";
import { named } from "../../http/named-schema.ts";
import { Type } from "../../http/openapi/type.ts";
import { pageOf } from "../../http/page.ts";
import { ATTEMPTS_SHOWN_MAX, DELIVERY_STATUSES } from "./history-queries.ts";
import { RECOVER_DAYS } from "./recover-events.ts";
import { RECOVERED_MAX } from "./recover-queries.ts";

const DeliveryAttempt = named(
  "DeliveryAttempt",
  Type.Object({
    number: Type.Integer({ description: "Counts all attempts of the delivery from 1." }),
    at: Type.String({ format: "date-time" }),
    status: Type.Optional(Type.Integer({ description: "HTTP status of your endpoint's answer." })),
    error: Type.Optional(Type.String({ description: "Kind of failure." })),
    latencyMs: Type.Integer({ description: "How long the attempt took." }),
    responseBody: Type.Optional(
      Type.String({ description: "Start of the answer. Only shown for the latest attempt." }),
    ),
  }),
);

const Delivery = named(
  "Delivery",
  Type.Object(
    {
      id: Type.String({ description: "Delivery id." }),
      eventId: Type.String(),
      eventType: Type.String(),
      webhookId: Type.String(),
      status: Type.String({
        description: `One of ${DELIVERY_STATUSES.map((one) => `\`${one}\``).join(", ")}.`,
      }),
      attemptCount: Type.Integer({ description: "Total number of attempts." }),
      attempts: Type.Array(DeliveryAttempt, {
        description: `The latest ${ATTEMPTS_SHOWN_MAX} attempts, in order.`,
      }),
      nextAttemptAt: Type.Optional(
        Type.String({
          format: "date-time",
          description: "While it is `pending`: when the next attempt is due.",
        }),
      ),
      createdAt: Type.String({ format: "date-time" }),
      deliveredAt: Type.Optional(Type.String({ format: "date-time" })),
    },
    {
      examples: [
        {
          id: "dlv_01m7ef4g9je0093a5f0c1d2e4b",
          eventId: "evt_01m7ef4g9je00974k1yf0xf7j3",
          eventType: "order.fulfilled",
          webhookId: "whk_01m7ef4g9je00974k1yf0xf7j3",
          status: "pending",
          attemptCount: 1,
          attempts: [
            {
              number: 1,
              at: "2030-01-31T12:00:00.000Z",
              status: 503,
              latencyMs: 120,
              responseBody: "Try later",
            },
          ],
          nextAttemptAt: "2030-01-31T12:00:11.000Z",
          createdAt: "2030-01-31T12:00:00.000Z",
        },
      ],
    },
  ),
);

export const DeliveryReply = named("DeliveryReply", Type.Object({ delivery: Delivery }));
export const DeliveryPage = named("DeliveryPage", pageOf(Delivery));

export const RecoverRequest = named(
  "RecoverRequest",
  Type.Object(
    {
      since: Type.String({
        format: "date-time",
        description: `Events from this time on. At most ${RECOVER_DAYS} days ago.`,
      }),
      until: Type.Optional(
        Type.String({ format: "date-time", description: "Events before this time. Until now if absent." }),
      ),
    },
    { additionalProperties: false, examples: [{ since: "2030-01-31T12:00:00Z" }] },
  ),
);
export type RecoverBody = { since: string; until?: string };

export const RecoverReply = named(
  "RecoverReply",
  Type.Object(
    {
      recovered: Type.Integer({ description: "How many deliveries were started." }),
      hasMore: Type.Boolean({
        description: `Whether there are more than the ${RECOVERED_MAX} that one call recovers. Send the same request again for the rest.`,
      }),
    },
    { examples: [{ recovered: 42, hasMore: false }] },
  ),
);

export type AttemptView = Static<typeof DeliveryAttempt>;
export type DeliveryView = Static<typeof Delivery>;
