import type { Static } from "typebox";
import { DEFAULT_TYPES } from "../../events/event-types.ts";
import { named } from "../../http/named-schema.ts";
import { Type } from "../../http/openapi/type.ts";
import { pageOf } from "../../http/page.ts";
import { GRACE_DEFAULT_SECONDS, GRACE_MAX_SECONDS } from "./rotate-secret.ts";

/** More than there are types, so that a list that is too long is refused before it is looked through. */
const SUBSCRIPTION_MAX = 64;

const EXAMPLE_URL = "https://shop.example.com/webhooks/scrip";

const url = Type.String({
  description:
    "Where events go: https, public, at most 2,048 characters, without credentials or fragment, on port 443 or one above 1023.",
});
const eventsAs = (description: string) =>
  Type.Array(Type.String(), { minItems: 1, maxItems: SUBSCRIPTION_MAX, description });

export const RegisterWebhookRequest = named(
  "RegisterWebhookRequest",
  Type.Object(
    {
      url,
      events: Type.Optional(
        eventsAs(
          "Event types to subscribe to, each at most once. `GET /v1/event-types` lists them. If absent: all types, including future ones.",
        ),
      ),
    },
    { additionalProperties: false, examples: [{ url: EXAMPLE_URL, events: ["order.fulfilled"] }] },
  ),
);
export type RegisterWebhookBody = { url: string; events?: string[] };

export const ChangeWebhookRequest = named(
  "ChangeWebhookRequest",
  Type.Object(
    {
      url: Type.Optional(url),
      events: Type.Optional(
        Type.Unsafe<string[] | null>({
          ...eventsAs(
            "Event types to subscribe to from now on, each at most once. `null` means all types, including future ones.",
          ),
          type: ["array", "null"],
        }),
      ),
      active: Type.Optional(
        Type.Boolean({ description: "Nothing is sent to an endpoint that is not active." }),
      ),
    },
    { additionalProperties: false, examples: [{ active: true }] },
  ),
);
export type ChangeWebhookBody = { url?: string; events?: string[] | null; active?: boolean };

export const RotateSecretRequest = Type.Object(
  {
    gracePeriodSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: GRACE_MAX_SECONDS,
        default: GRACE_DEFAULT_SECONDS,
        description: "How long earlier secrets keep signing. 0 expires them at once.",
      }),
    ),
  },
  {
    additionalProperties: false,
    "x-optional": true,
    examples: [{ gracePeriodSeconds: GRACE_DEFAULT_SECONDS }],
  },
);
export type RotateSecretBody = { gracePeriodSeconds?: number };

export const Webhook = named(
  "Webhook",
  Type.Object(
    {
      id: Type.String({ description: "Endpoint id." }),
      url: Type.String({ description: "Where events go." }),
      events: Type.Array(Type.String(), {
        description: "Event types that the endpoint is subscribed to. All current types if none were chosen.",
      }),
      active: Type.Boolean({ description: "Whether events are sent to the endpoint." }),
      createdAt: Type.String({ format: "date-time" }),
      updatedAt: Type.String({ format: "date-time" }),
      failingSince: Type.Optional(
        Type.String({
          format: "date-time",
          description:
            "Since when every delivery has failed. After 5 days the endpoint is disabled. Any success clears it.",
        }),
      ),
    },
    {
      examples: [
        {
          id: "whk_01m7ef4g9je00974k1yf0xf7j3",
          url: EXAMPLE_URL,
          events: [...DEFAULT_TYPES],
          active: true,
          createdAt: "2030-01-31T12:00:00.000Z",
          updatedAt: "2030-01-31T12:00:00.000Z",
        },
      ],
    },
  ),
);

const secret = Type.String({
  description: "Signing secret, shown only once. The HMAC key is the whole text, including `whsec_`.",
  examples: ["whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH3Hv5iTk9h2A="],
});

export const RegisterWebhookReply = named("RegisterWebhookReply", Type.Object({ webhook: Webhook, secret }));
export const WebhookReply = named("WebhookReply", Type.Object({ webhook: Webhook }));
export const WebhookPage = named("WebhookPage", pageOf(Webhook));
export const RotateSecretReply = named(
  "RotateSecretReply",
  Type.Object({
    webhook: Webhook,
    secret,
    previousSecretExpiresAt: Type.String({
      format: "date-time",
      description: "When the previous secret stops signing.",
    }),
  }),
);

export const EgressIpList = named(
  "EgressIpList",
  Type.Object({
    data: Type.Array(Type.String(), {
      description: "IP addresses that deliveries come from. Empty if the operator has published none.",
      examples: [["203.0.113.10"]],
    }),
  }),
);

/** The body of an operation that takes no parameters. */
export const EmptyBody = Type.Object({}, { additionalProperties: false, "x-optional": true });

export type WebhookView = Static<typeof Webhook>;
