import type { FastifyInstance } from "fastify";
import type { Db } from "../db/database.ts";
import { callerOf } from "../http/caller.ts";
import { jsonReply } from "../http/json-reply.ts";
import { Type } from "../http/openapi/type.ts";
import { pageParameters } from "../http/page.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { EventPage, EventReply, EventTypeList } from "./event-schemas.ts";
import { EVENT_TABLE, EVENT_TYPES, SUBSCRIBABLE_TYPES } from "./event-types.ts";
import { getEvent, listEvents } from "./read-events.ts";

export function eventRoutes(app: FastifyInstance, deps: { db: Db; cursors: CursorCodec }): void {
  app.get("/v1/events", {
    config: { scope: "webhooks:manage", problems: ["invalid_cursor"] },
    schema: {
      operationId: "listEvents",
      tags: ["Events"],
      summary: "List events",
      description:
        "Newest first, each exactly as it is delivered, even if no endpoint received it. Events are kept for 30 days. With `type`, a page can hold fewer than `limit` events, or none, while `hasMore` is true.",
      querystring: Type.Object({ ...pageParameters, ...eventFilters }),
      response: { 200: jsonReply("A page of events.", EventPage) },
    },
    handler: (request) => listEvents(deps, callerOf(request), request),
  });

  app.get<{ Params: { id: string } }>("/v1/events/:id", {
    config: { scope: "webhooks:manage", problems: ["not_found"] },
    schema: {
      operationId: "getEvent",
      tags: ["Events"],
      summary: "Read one event",
      description: "Exactly as it is delivered. Returns `not_found` for an id that is not yours.",
      params: Type.Object({ id: Type.String({ description: "Event id." }) }),
      response: { 200: jsonReply("The event.", EventReply) },
    },
    handler: async (request) => ({ event: await getEvent(deps.db, callerOf(request), request.params.id) }),
  });

  app.get("/v1/event-types", {
    config: { scope: "webhooks:manage" },
    schema: {
      operationId: "listEventTypes",
      tags: ["Events"],
      summary: "List event types",
      description: "The types that an endpoint can subscribe to. New types are added at any time.",
      response: { 200: jsonReply("The event types.", EventTypeList) },
    },
    handler: async () => ({
      data: SUBSCRIBABLE_TYPES.map((type) => ({ type, description: EVENT_TABLE[type].description })),
    }),
  });
}

const eventFilters = {
  type: Type.Optional(Type.String({ description: `Only events of this type: ${EVENT_TYPES.join(", ")}.` })),
  orderId: Type.Optional(Type.String({ description: "Only events of this order." })),
  createdFrom: Type.Optional(
    Type.String({ format: "date-time", description: "Created at this time or later." }),
  ),
  createdTo: Type.Optional(Type.String({ format: "date-time", description: "Created before this time." })),
};
