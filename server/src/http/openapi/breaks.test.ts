import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  DELIVER,
  drop,
  type Edit,
  PLACE,
  PROBLEM,
  put,
  READ,
  smallDocument,
} from "../../../testing/app/small-document.ts";
import { findBreaks } from "./breaks.ts";

/** What is done to the small document, and the one break that it is. */
const breaking: Record<string, readonly [Edit, string]> = {
  "a path that is gone": [drop("paths", "/v1/items/{id}"), "GET /v1/items/{id} is gone"],
  "an operation that is gone": [drop(...PLACE), "POST /v1/items is gone"],
  "an operationId that is renamed": [
    put("fetchItem", ...READ, "operationId"),
    "GET /v1/items/{id} changed its operationId from readItem to fetchItem",
  ],
  "a success status that is gone": [
    drop(...PLACE, "responses", "202"),
    "POST /v1/items no longer answers 202",
  ],
  "304 that is gone": [drop(...READ, "responses", "304"), "GET /v1/items/{id} no longer answers 304"],
  "a media type that is gone": [
    drop(...READ, "responses", "200", "content", "application/json"),
    "GET /v1/items/{id} 200 is no longer application/json",
  ],
  "a response header that is gone": [
    drop(...PLACE, "responses", "202", "headers", "Location"),
    "POST /v1/items 202 lost its header Location",
  ],
  "a request body that is gone": [drop(...PLACE, "requestBody"), "POST /v1/items lost its body"],
  "a request body that was optional": [
    put(true, ...PLACE, "requestBody", "required"),
    "POST /v1/items requires a body now",
  ],
  "a default that is another": [
    put(20, ...READ, "parameters", 1, "schema", "default"),
    "GET /v1/items/{id} query parameter depth changed its default in requests from 3 to 20",
  ],
  "a query parameter that is gone": [
    drop(...READ, "parameters", 1),
    "GET /v1/items/{id} lost its query parameter depth",
  ],
  "a header parameter that is renamed": [
    put("If-Match", ...READ, "parameters", 2, "name"),
    "GET /v1/items/{id} lost its header parameter if-none-match",
  ],
  "a path parameter that is gone": [
    drop(...READ, "parameters", 0),
    "GET /v1/items/{id} lost its path parameter id",
  ],
  "a parameter that was optional": [
    put(true, ...READ, "parameters", 1, "required"),
    "GET /v1/items/{id} requires its query parameter depth now",
  ],
  "a new parameter that is required": [
    put({ name: "tenant", in: "query", required: true }, ...READ, "parameters", 3),
    "GET /v1/items/{id} requires its query parameter tenant now",
  ],
  "a parameter's type": [
    put("string", ...READ, "parameters", 1, "schema", "type"),
    "GET /v1/items/{id} query parameter depth changed its type in requests from integer to string",
  ],
  "a parameter's maximum": [
    put(2, ...READ, "parameters", 1, "schema", "maximum"),
    "GET /v1/items/{id} query parameter depth changed its maximum in requests from 5 to 2",
  ],
  "an error code that only the list of codes named": [
    put("One of `not_found`, `sold_out`.", ...PROBLEM, "code", "description"),
    "the error code teapot is gone",
  ],
  "an error code that one operation lost": [
    drop(...READ, "responses", "404"),
    "GET /v1/items/{id} no longer answers not_found",
  ],
  "an error code that comes with another status": [
    (document) =>
      drop(
        ...PLACE,
        "responses",
        "409",
      )(put(smallDocument.paths["/v1/items"].post.responses["409"], ...PLACE, "responses", "422")(document)),
    "POST /v1/items answers sold_out with 422 instead of 409",
  ],
  "a field of the error body that is gone": [
    drop(...PROBLEM, "detail"),
    "Problem.detail is gone from replies",
  ],
  "an event type that is gone": [drop("webhooks", "item.made"), "the event type item.made is gone"],
  "an answer to a delivery that no longer counts": [
    drop(...DELIVER, "responses", "200"),
    "POST item.made no longer takes 200 for an answer",
  ],
  "an event type that only the list of types named": [
    put(["item.made"], "x-event-types"),
    "the event type item.lost is gone",
  ],
  "a field of an event that is gone": [
    drop(...DELIVER, "requestBody", "content", "application/json", "schema", "properties", "order_id"),
    "POST item.made body.order_id is gone from replies",
  ],
  "a header of a delivery that is gone": [
    drop(...DELIVER, "parameters", 0),
    "POST item.made lost its header parameter service-signature",
  ],
  "a header of a delivery that is not always there": [
    put(false, ...DELIVER, "parameters", 0, "required"),
    "POST item.made does not always carry its header parameter service-signature",
  ],
  "a security scheme that is renamed": [
    (document) =>
      put(
        smallDocument.components.securitySchemes.bearer,
        "components",
        "securitySchemes",
        "token",
      )(drop("components", "securitySchemes", "bearer")(document)),
    "the security scheme bearer is gone",
  ],
  "a security scheme with another header": [
    put("X-Key", "components", "securitySchemes", "apiKey", "name"),
    'the security scheme apiKey changed from {"in":"header","name":"X-API-Key","type":"apiKey"} to {"in":"header","name":"X-Key","type":"apiKey"}',
  ],
  "a way to authenticate that one operation lost": [
    put([{ apiKey: [] }], ...PLACE, "security"),
    "POST /v1/items no longer accepts bearer",
  ],
  "an open operation that needs a key": [
    drop("paths", "/v1/addresses", "get", "security"),
    "GET /v1/addresses no longer accepts requests without a key",
  ],
  "the scope that an operation needs": [
    put("Reads one.\n\nNeeds the scope `items:write`.", ...READ, "description"),
    "GET /v1/items/{id} needs the scope items:write instead of items:read",
  ],
};

/** What SPEC.md, Versioning, has clients tolerate, and what asks less of them than before. */
const additive: Record<string, Edit> = {
  nothing: (document) => document,
  "a new path": put({ get: { operationId: "new", responses: {} } }, "paths", "/v1/new"),
  "a new operation": put({ operationId: "new", responses: {} }, "paths", "/v1/items", "get"),
  "a response field that is always there now": put(
    ["id", "name", "state"],
    "components",
    "schemas",
    "Item",
    "required",
  ),
  "a new status": put({ description: "Made at once." }, ...PLACE, "responses", "201"),
  "a new response header": put(
    { schema: { type: "string" } },
    ...READ,
    "responses",
    "200",
    "headers",
    "X-New",
  ),
  "a new optional parameter": put({ name: "fields", in: "query" }, ...READ, "parameters", 3),
  "a parameter's name in other letters": put("if-none-match", ...READ, "parameters", 2, "name"),
  "a new error code": put(
    { value: { code: "odd", request_id: "r" } },
    ...READ,
    "responses",
    "404",
    "content",
    "application/problem+json",
    "examples",
    "odd",
  ),
  "a new event type": put({ post: {} }, "webhooks", "item.sold"),
  "a new security scheme": put({ type: "http", scheme: "basic" }, "components", "securitySchemes", "basic"),
  "a new way to authenticate": put([{ apiKey: [] }, { bearer: [] }, { basic: [] }], ...PLACE, "security"),
  "an operation that is open to all": put([], ...READ, "security"),
  "another description": put("Gets one. Needs the scope `items:read`.", ...READ, "description"),
  "another title": put("Other", "info", "title"),
  "another summary": put("Other", ...READ, "summary"),
  "a required parameter that is optional now": put(false, ...PLACE, "parameters", 0, "required"),
  "a parameter moved into components": (document) =>
    put(
      { $ref: "#/components/parameters/depth" },
      ...READ,
      "parameters",
      1,
    )(
      put(
        { depth: smallDocument.paths["/v1/items/{id}"].get.parameters[1] },
        "components",
        "parameters",
      )(document),
    ),
};

suite("a break is found", () => {
  for (const [title, [edit, message]] of Object.entries(breaking)) {
    test(title, () => assert.deepEqual(findBreaks(smallDocument, edit(smallDocument)), [message]));
  }
});

suite("no break is", () => {
  for (const [title, edit] of Object.entries(additive)) {
    test(title, () => assert.deepEqual(findBreaks(smallDocument, edit(smallDocument)), []));
  }
});
