import type { FastifyInstance } from "fastify";
import type { Db } from "../db/database.ts";
import { callerOf } from "../http/caller.ts";
import { jsonReply } from "../http/json-reply.ts";
import { Type } from "../http/openapi/type.ts";
import { pageParameters } from "../http/page.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { getRequest, listRequests } from "./read-requests.ts";
import { LoggedRequestPage, LoggedRequestReply } from "./schemas.ts";

export function requestRoutes(app: FastifyInstance, deps: { db: Db; cursors: CursorCodec }): void {
  app.get("/v1/requests", {
    config: { scope: "requests:read", problems: ["invalid_request", "invalid_cursor"] },
    schema: {
      operationId: "listRequests",
      tags: ["Requests"],
      summary: "List API requests",
      description:
        "Your requests to this API, newest first, kept for 14 days. A request appears within seconds. With a filter a page may have fewer than `limit` requests, even none, while `hasMore` is true.",
      querystring: Type.Object({ ...pageParameters, ...requestFilters }),
      response: { 200: jsonReply("A page of requests.", LoggedRequestPage) },
    },
    handler: (request) => listRequests(deps, callerOf(request), request),
  });

  app.get<{ Params: { id: string } }>("/v1/requests/:id", {
    config: { scope: "requests:read", problems: ["not_found"] },
    schema: {
      operationId: "getRequest",
      tags: ["Requests"],
      summary: "Read one API request",
      description:
        "One request, with the body of its error. Without the scope of the operation that failed, `detail` says so and the error has no further members. Bodies of requests and of successful answers are never kept.",
      params: Type.Object({ id: Type.String({ description: "Request id." }) }),
      response: { 200: jsonReply("The request.", LoggedRequestReply) },
    },
    handler: async (request) => ({
      request: await getRequest(deps.db, callerOf(request), request.params.id),
    }),
  });
}

const requestFilters = {
  status: Type.Optional(
    Type.String({ description: "Only this HTTP status, such as `404`, or class, such as `4xx`." }),
  ),
  errorCode: Type.Optional(Type.String({ description: "Only requests that failed with this error code." })),
  keyId: Type.Optional(Type.String({ description: "Only requests made with this API key." })),
  createdFrom: Type.Optional(
    Type.String({ format: "date-time", description: "Arrived at this time or later." }),
  ),
  createdTo: Type.Optional(Type.String({ format: "date-time", description: "Arrived before this time." })),
};
