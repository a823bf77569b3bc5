import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { EVENT_TYPES } from "../../events/event-types.ts";
import { callerOf } from "../../http/caller.ts";
import { jsonReply } from "../../http/json-reply.ts";
import { optionalBody } from "../../http/optional-body.ts";
import { pageParameters } from "../../http/page.ts";
import { endpointParams } from "../endpoints/routes.ts";
import { EmptyBody } from "../endpoints/schemas.ts";
import { TESTS_PER_MINUTE_MAX, testEndpoint } from "../endpoints/test-endpoint.ts";
import type { WebhookDeps } from "../webhook-deps.ts";
import { DELIVERY_STATUSES } from "./history-queries.ts";
import { listDeliveries, viewDelivery } from "./list-deliveries.ts";
import { recoverEvents } from "./recover-events.ts";
import { redeliver } from "./redeliver.ts";
import { DeliveryPage, DeliveryReply, type RecoverBody, RecoverReply, RecoverRequest } from "./schemas.ts";

/** What was sent, and sending it once more. */
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
    Type.String({ description: `Only deliveries of this type of event: ${EVENT_TYPES.join(", ")}.` }),
  ),
  eventId: Type.Optional(Type.String({ description: "Only the delivery of this event." })),
  orderId: Type.Optional(Type.String({ description: "Only deliveries of this order's events." })),
  createdFrom: Type.Optional(
    Type.String({ format: "date-time", description: "Only deliveries of events of this time and later." }),
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
        "One for each event, newest event first, with its attempts. With a filter a page may hold fewer than `limit` deliveries, even none, while `hasMore` is true.",
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
      description: `Sends \`webhook.test\` to this endpoint, whatever it is subscribed to, signed and retried as every event is. Watch it in the endpoint's deliveries. At most ${TESTS_PER_MINUTE_MAX} a minute for each endpoint, then 429 \`rate_limited\`. An endpoint that is not active is sent nothing: 409 \`webhook_inactive\`.`,
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
        "Begins the delivery anew, whatever became of it: the same event id and body, a fresh signature, all retries ahead of it. An endpoint that is not active is sent nothing: 409 `webhook_inactive`.",
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
      summary: "Send what an endpoint missed",
      description:
        "Delivers the events of that time which the endpoint is subscribed to now and that it was not sent, or that failed. What has arrived or is waiting already is left alone. Test events are not sent again. An endpoint that is not active is sent nothing: 409 `webhook_inactive`.",
      params: endpointParams,
      body: RecoverRequest,
      response: { 200: jsonReply("How many deliveries were begun.", RecoverReply) },
    },
    handler: (request) => recoverEvents(deps, callerOf(request), request.params.id, request.body),
  });
}
