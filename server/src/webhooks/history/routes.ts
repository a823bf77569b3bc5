import type { FastifyInstance } from "fastify";
import { EVENT_TYPES } from "../../events/event-types.ts";
import { callerOf } from "../../http/caller.ts";
import { jsonReply } from "../../http/json-reply.ts";
import { Type } from "../../http/openapi/type.ts";
import { pageParameters } from "../../http/page.ts";
import { optionalBody } from "../../http/validate-requests.ts";
import { endpointParams } from "../endpoints/routes.ts";
import { EmptyBody } from "../endpoints/schemas.ts";
import { TESTS_PER_MINUTE_MAX, testEndpoint } from "../endpoints/test-endpoint.ts";
import type { WebhookDeps } from "../webhook-deps.ts";
import { DELIVERY_STATUSES } from "./history-queries.ts";
import { listDeliveries, viewDelivery } from "./list-deliveries.ts";
import { recoverEvents } from "./recover-events.ts";
import { redeliver } from "./redeliver.ts";
import { DeliveryPage, DeliveryReply, type RecoverBody, RecoverReply, RecoverRequest } from "./schemas.ts";

/** What was sent, and sending it again. */
export function historyRoutes(app: FastifyInstance, deps: WebhookDeps): void {
  listRoute(app, deps);
  testRoute(app, deps);
  againRoutes(app, deps);
}

const deliveryFilters = {
  status: Type.Optional(
    Type.String({ description: `Only deliveries with this status: ${DELIVERY_STATUSES.join(", ")}.` }),
  ),
  eventType: Type.Optional(
    Type.String({ description: `Only deliveries of this event type: ${EVENT_TYPES.join(", ")}.` }),
  ),
  eventId: Type.Optional(Type.String({ description: "Only the delivery of this event." })),
  orderId: Type.Optional(Type.String({ description: "Only deliveries of this order's events." })),
  createdFrom: Type.Optional(
    Type.String({ format: "date-time", description: "Only deliveries of events from this time on." }),
  ),
  createdTo: Type.Optional(
    Type.String({ format: "date-time", description: "Only deliveries of events before this time." }),
  ),
};

function listRoute(app: FastifyInstance, deps: WebhookDeps): void {
  app.get<{ Params: { id: string } }>("/v1/webhooks/:id/deliveries", {
    config: { scope: "webhooks:manage", problems: ["not_found", "invalid_cursor"] },
    schema: {
      operationId: "listWebhookDeliveries",
      tags: ["Webhooks"],
      summary: "List an endpoint's deliveries",
      description:
        "One delivery for each event, with its attempts, newest event first. With a filter, a page can hold fewer than `limit` deliveries, or none, while `hasMore` is true.",
      params: endpointParams,
      querystring: Type.Object({
        ...pageParameters,
        ...deliveryFilters,
      }),
      response: { 200: jsonReply("A page of deliveries.", DeliveryPage) },
    },
    handler: (request) => listDeliveries(deps, callerOf(request), request, request.params.id),
  });
}

function testRoute(app: FastifyInstance, deps: WebhookDeps): void {
  app.post<{ Params: { id: string } }>("/v1/webhooks/:id/test", {
    config: { scope: "webhooks:manage", problems: ["not_found", "webhook_inactive"] },
    preValidation: optionalBody,
    schema: {
      operationId: "testWebhook",
      tags: ["Webhooks"],
      summary: "Send a test event",
      description: `Sends \`webhook.test\` to this endpoint, subscribed or not, signed and retried like every event. See the result in the endpoint's deliveries. At most ${TESTS_PER_MINUTE_MAX} a minute for each endpoint, then 429 \`rate_limited\`. If the endpoint is not active: 409 \`webhook_inactive\`.`,
      params: endpointParams,
      body: EmptyBody,
      response: { 200: jsonReply("The delivery of the test event.", DeliveryReply) },
    },
    handler: async (request) => ({
      delivery: viewDelivery(await testEndpoint(deps, callerOf(request), request.params.id)),
    }),
  });
}

function againRoutes(app: FastifyInstance, deps: WebhookDeps): void {
  app.post<{ Params: { id: string } }>("/v1/deliveries/:id/redeliver", {
    config: { scope: "webhooks:manage", problems: ["not_found", "webhook_inactive"] },
    preValidation: optionalBody,
    schema: {
      operationId: "redeliver",
      tags: ["Webhooks"],
      summary: "Send one delivery again",
      description:
        "Restarts the delivery, whatever its status: the same event id and body, a new signature, and all retries. If the endpoint is not active: 409 `webhook_inactive`.",
      params: Type.Object({ id: Type.String({ description: "Delivery id." }) }),
      body: EmptyBody,
      response: { 200: jsonReply("The delivery as it is now.", DeliveryReply) },
    },
    handler: async (request) => ({
      delivery: viewDelivery(await redeliver(deps, callerOf(request), request.params.id)),
    }),
  });

  app.post<{ Params: { id: string }; Body: RecoverBody }>("/v1/webhooks/:id/recover", {
    config: { scope: "webhooks:manage", problems: ["not_found", "webhook_inactive"] },
    schema: {
      operationId: "recoverWebhook",
      tags: ["Webhooks"],
      summary: "Recover missed events",
      description:
        "Delivers the events in that time that the endpoint is subscribed to now, and that were not sent to it or failed. Deliveries that arrived or are waiting stay as they are. Test events are not sent again. If the endpoint is not active: 409 `webhook_inactive`.",
      params: endpointParams,
      body: RecoverRequest,
      response: { 200: jsonReply("How many deliveries were started.", RecoverReply) },
    },
    handler: (request) => recoverEvents(deps, callerOf(request), request.params.id, request.body),
  });
}
