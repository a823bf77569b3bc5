import type { FastifyInstance } from "fastify";
import { callerOf } from "../../http/caller.ts";
import { jsonReply } from "../../http/json-reply.ts";
import { Type } from "../../http/openapi/type.ts";
import { pageParameters } from "../../http/page.ts";
import type { WebhookDeps } from "../webhook-deps.ts";
import { changeEndpoint } from "./change-endpoint.ts";
import { getEndpoint, listEndpoints, toEndpointView } from "./read-endpoints.ts";
import { ENDPOINTS_MAX, registerEndpoint } from "./register-endpoint.ts";
import { removeEndpoint } from "./remove-endpoint.ts";
import {
  type ChangeWebhookBody,
  ChangeWebhookRequest,
  type RegisterWebhookBody,
  RegisterWebhookReply,
  RegisterWebhookRequest,
  WebhookPage,
  WebhookReply,
} from "./schemas.ts";

export const endpointParams = Type.Object({ id: Type.String({ description: "Endpoint id." }) });

export function endpointRoutes(app: FastifyInstance, deps: WebhookDeps): void {
  registerRoute(app, deps);
  readRoutes(app, deps);
  changeRoutes(app, deps);
}

function registerRoute(app: FastifyInstance, deps: WebhookDeps): void {
  app.post<{ Body: RegisterWebhookBody }>("/v1/webhooks", {
    config: { scope: "webhooks:manage", problems: ["webhook_limit_reached", "webhook_url_not_allowed"] },
    schema: {
      operationId: "registerWebhook",
      tags: ["Webhooks"],
      summary: "Register an endpoint",
      description: `Sends signed events to its URL from now on. The reply contains the signing secret, which is shown only once. At most ${ENDPOINTS_MAX} endpoints.`,
      body: RegisterWebhookRequest,
      response: {
        201: {
          ...jsonReply("The endpoint and its secret.", RegisterWebhookReply),
          headers: {
            Location: {
              description: "Where to read the endpoint.",
              schema: { type: "string", examples: ["/v1/webhooks/whk_…"] },
            },
          },
        },
      },
    },
    handler: async (request, reply) => {
      const { row, secret } = await registerEndpoint(deps, callerOf(request), request.body);
      reply.code(201).header("location", `/v1/webhooks/${row.id}`);
      return { webhook: toEndpointView(row), secret: secret.reveal() };
    },
  });
}

function readRoutes(app: FastifyInstance, deps: WebhookDeps): void {
  app.get("/v1/webhooks", {
    config: { scope: "webhooks:manage", problems: ["invalid_cursor"] },
    schema: {
      operationId: "listWebhooks",
      tags: ["Webhooks"],
      summary: "List endpoints",
      description: "Newest first.",
      querystring: Type.Object(pageParameters),
      response: { 200: jsonReply("A page of endpoints.", WebhookPage) },
    },
    handler: (request) => listEndpoints(deps, callerOf(request), request),
  });

  app.get<{ Params: { id: string } }>("/v1/webhooks/:id", {
    config: { scope: "webhooks:manage", problems: ["not_found"] },
    schema: {
      operationId: "getWebhook",
      tags: ["Webhooks"],
      summary: "Read one endpoint",
      description: "All fields except its secrets. Returns `not_found` for an id that is not yours.",
      params: endpointParams,
      response: { 200: jsonReply("The endpoint.", WebhookReply) },
    },
    handler: async (request) => ({
      webhook: toEndpointView(await getEndpoint(deps.db, callerOf(request), request.params.id)),
    }),
  });
}

function changeRoutes(app: FastifyInstance, deps: WebhookDeps): void {
  app.patch<{ Params: { id: string }; Body: ChangeWebhookBody }>("/v1/webhooks/:id", {
    config: { scope: "webhooks:manage", problems: ["not_found", "webhook_url_not_allowed"] },
    schema: {
      operationId: "changeWebhook",
      tags: ["Webhooks"],
      summary: "Change an endpoint",
      description:
        "Fields that are absent stay as they are. Waiting events go to the new URL. With `active: false`, waiting events end as failed and nothing more is sent. `active: true` enables an endpoint that was disabled; use a recovery to get the events it missed. Enabling an endpoint or changing its URL clears its record of failure.",
      params: endpointParams,
      body: ChangeWebhookRequest,
      response: { 200: jsonReply("The endpoint as it is now.", WebhookReply) },
    },
    handler: async (request) => ({
      webhook: toEndpointView(await changeEndpoint(deps, callerOf(request), request.params.id, request.body)),
    }),
  });

  app.delete<{ Params: { id: string } }>("/v1/webhooks/:id", {
    config: {
      scope: "webhooks:manage",
      problems: ["not_found", "payload_too_large", "unsupported_media_type"],
    },
    schema: {
      operationId: "removeWebhook",
      tags: ["Webhooks"],
      summary: "Remove an endpoint",
      description: "Nothing more is sent to it, including events that are waiting.",
      params: endpointParams,
      response: { 200: jsonReply("The endpoint was removed.", Type.Object({})) },
    },
    handler: async (request) => {
      await removeEndpoint(deps, callerOf(request), request.params.id);
      return {};
    },
  });
}
