import type { Static } from "typebox";
import { named } from "../http/named-schema.ts";
import { problemSchema } from "../http/openapi/problems.ts";
import { Type } from "../http/openapi/type.ts";
import { pageOf } from "../http/page.ts";

const fields = {
  id: Type.String({ description: "Request id, as in `X-Request-Id` and in error bodies." }),
  createdAt: Type.String({ format: "date-time", description: "When the request arrived." }),
  method: Type.String(),
  path: Type.String({ description: "Path without its query string." }),
  status: Type.Integer({ description: "HTTP status of the answer." }),
  errorCode: Type.Optional(Type.String({ description: "`code` of the error, for requests that failed." })),
  keyId: Type.Optional(Type.String({ description: "The API key that made the request." })),
  keyHint: Type.Optional(
    Type.String({ description: "Prefix and last four characters of a key that was not accepted." }),
  ),
  address: Type.String({ description: "IP address of the caller." }),
  durationMs: Type.Integer({ description: "Time from the first byte to the end of the answer." }),
};

const EXAMPLE = {
  id: "req_01m7ef4g9je00974k1yf0xf7j3",
  createdAt: "2030-01-31T12:00:00.000Z",
  method: "POST",
  path: "/v1/orders",
  status: 402,
  errorCode: "insufficient_funds",
  keyId: "key_01m7ef4g9je00974k1yf0xf7j3",
  address: "192.0.2.10",
  durationMs: 12,
};

export const LoggedRequestView = named(
  "LoggedRequest",
  Type.Object(fields, { description: "A request to the API.", examples: [EXAMPLE] }),
);

const RequestDetail = named(
  "LoggedRequestDetail",
  Type.Object(
    {
      ...fields,
      error: Type.Optional(
        Type.Unsafe<object>({
          ...problemSchema,
          properties: { ...problemSchema.properties, code: Type.String() },
          description: "The body of the answer, for errors only.",
        }),
      ),
    },
    { description: "A request to the API, with the body of its error.", examples: [EXAMPLE] },
  ),
);

export const LoggedRequestReply = named("LoggedRequestReply", Type.Object({ request: RequestDetail }));
export const LoggedRequestPage = named("LoggedRequestPage", pageOf(LoggedRequestView));

export type RequestView = Static<typeof LoggedRequestView>;
export type RequestDetailView = Static<typeof RequestDetail>;
