import type { FastifyInstance } from "fastify";
import { callerOf } from "../../http/caller.ts";
import { jsonReply } from "../../http/json-reply.ts";
import { optionalBody } from "../../http/validate-requests.ts";
import type { WebhookDeps } from "../webhook-deps.ts";
import { toEndpointView } from "./read-endpoints.ts";
import { GRACE_DEFAULT_SECONDS, rotateSecret, SECRETS_MAX } from "./rotate-secret.ts";
import { endpointParams } from "./routes.ts";
import { EgressIpList, type RotateSecretBody, RotateSecretReply, RotateSecretRequest } from "./schemas.ts";

/** The addresses rarely change, but receivers must learn of a change soon. */
const EGRESS_IPS_MAX_AGE_SECONDS = 300;

/** How a receiver knows that a delivery is ours: by its signature and its source address. */
export function secretRoutes(app: FastifyInstance, deps: WebhookDeps): void {
  app.post<{ Params: { id: string }; Body: RotateSecretBody }>("/v1/webhooks/:id/rotate", {
    config: { scope: "webhooks:manage", problems: ["not_found", "secret_limit_reached"] },
    preValidation: optionalBody,
    schema: {
      operationId: "rotateWebhookSecret",
      tags: ["Webhooks"],
      summary: "Issue a new signing secret",
      description: `The reply contains the new secret, which is shown only once. The previous secret keeps signing for the grace period, beside the new one, so that receivers can switch without losing an event. At most ${SECRETS_MAX} secrets sign at a time. With a grace period of 0, earlier secrets expire at once and the rotation is never refused.`,
      params: endpointParams,
      body: RotateSecretRequest,
      response: {
        200: jsonReply("The new secret, and when the previous one expires.", RotateSecretReply),
      },
    },
    handler: async (request) => {
      const { gracePeriodSeconds = GRACE_DEFAULT_SECONDS } = request.body;
      const { id } = request.params;
      const { row, secret, previousExpiresAt } = await rotateSecret(
        deps,
        callerOf(request),
        id,
        gracePeriodSeconds,
      );
      return {
        webhook: toEndpointView(row),
        secret: secret.reveal(),
        previousSecretExpiresAt: previousExpiresAt.toISOString(),
      };
    },
  });

  app.get("/v1/webhooks/egress-ips", {
    schema: {
      operationId: "listWebhookEgressIps",
      tags: ["Webhooks"],
      summary: "Where deliveries come from",
      description: "The IP addresses to let through to your endpoint. Needs no key.",
      response: { 200: jsonReply("The addresses.", EgressIpList) },
    },
    handler: async (_request, reply) => {
      reply.header("cache-control", `public, max-age=${EGRESS_IPS_MAX_AGE_SECONDS}`);
      return { data: deps.webhooks.egressIps };
    },
  });
}
