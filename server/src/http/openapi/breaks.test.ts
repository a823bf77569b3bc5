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

/** An edit of the small document, and the one break that it causes. */
const breaking: Record<string, readonly [Edit, string]> = {
  "a removed path": [drop("paths", "/v1/items/{id}"), "GET /v1/items/{id} was removed"],
  "a removed operation": [drop(...PLACE), "POST /v1/items was removed"],
  "a renamed operationId": [
    put("fetchItem", ...READ, "operationId"),
    "GET /v1/items/{id} changed its operationId from readItem to fetchItem",
  ],
  "a removed success status": [drop(...PLACE, "responses", "202"), "POST /v1/items no longer returns 202"],
  "a removed 304": [drop(...READ, "responses", "304"), "GET /v1/items/{id} no longer returns 304"],
  "a removed media type": [
    drop(...READ, "responses", "200", "content", "application/json"),
    "GET /v1/items/{id} 200 is no longer application/json",
  ],
  "a removed response header": [
    drop(...PLACE, "responses", "202", "headers", "Location"),
    "POST /v1/items 202 no longer has the header Location",
  ],
  "a removed request body": [drop(...PLACE, "requestBody"), "POST /v1/items no longer takes a body"],
  "a request body that becomes required": [
    put(true, ...PLACE, "requestBody", "required"),
    "POST /v1/items now requires a body",
  ],
  "a changed default": [
    put(20, ...READ, "parameters", 1, "schema", "default"),
    "GET /v1/items/{id} query parameter depth changed its default in requests from 3 to 20",
  ],
  "a removed query parameter": [
    drop(...READ, "parameters", 1),
    "GET /v1/items/{id} no longer has the query parameter depth",
  ],
  "a renamed header parameter": [
    put("If-Match", ...READ, "parameters", 2, "name"),
    "GET /v1/items/{id} no longer has the header parameter if-none-match",
  ],
  "a removed path parameter": [
    drop(...READ, "parameters", 0),
    "GET /v1/items/{id} no longer has the path parameter id",
  ],
  "a parameter that becomes required": [
    put(true, ...READ, "parameters", 1, "required"),
    "GET /v1/items/{id} now requires the query parameter depth",
  ],
  "a new required parameter": [
    put({ name: "tenant", in: "query", required: true }, ...READ, "parameters", 3),
    "GET /v1/items/{id} now requires the query parameter tenant",
  ],
  "a parameter's type": [
    put("string", ...READ, "parameters", 1, "schema", "type"),
    "GET /v1/items/{id} query parameter depth changed its type in requests from integer to string",
  ],
  "a parameter's maximum": [
    put(2, ...READ, "parameters", 1, "schema", "maximum"),
    "GET /v1/items/{id} query parameter depth changed its maximum in requests from 5 to 2",
  ],
  "an error code removed from the list of codes": [
    put("One of `not_found`, `sold_out`.", ...PROBLEM, "code", "description"),
    "the error code teapot was removed",
  ],
  "an error code that one operation no longer returns": [
    drop(...READ, "responses", "404"),
    "GET /v1/items/{id} no longer returns not_found",
  ],
  "an error code with a different status": [
    (document) =>
      drop(
        ...PLACE,
        "responses",
        "409",
      )(put(smallDocument.paths["/v1/items"].post.responses["409"], ...PLACE, "responses", "422")(document)),
    "POST /v1/items returns sold_out with 422 instead of 409",
  ],
  "a removed field of the error body": [
    drop(...PROBLEM, "detail"),
    "Problem.detail was removed from responses",
  ],
  "a removed event type": [drop("webhooks", "item.made"), "the event type item.made was removed"],
  "a response to a delivery that no longer counts as success": [
    drop(...DELIVER, "responses", "200"),
    "POST item.made no longer accepts the response 200",
  ],
  "an event type removed from the list of types": [
    put(["item.made"], "x-event-types"),
    "the event type item.lost was removed",
  ],
  "a removed field of an event": [
    drop(...DELIVER, "requestBody", "content", "application/json", "schema", "properties", "order_id"),
    "POST item.made body.order_id was removed from responses",
  ],
  "a removed header of a delivery": [
    drop(...DELIVER, "parameters", 0),
    "POST item.made no longer has the header parameter service-signature",
  ],
  "a header of a delivery that becomes optional": [
    put(false, ...DELIVER, "parameters", 0, "required"),
    "POST item.made does not always have the header parameter service-signature",
  ],
  "a renamed security scheme": [
    (document) =>
      put(
        smallDocument.components.securitySchemes.bearer,
        "components",
        "securitySchemes",
        "token",
      )(drop("components", "securitySchemes", "bearer")(document)),
    "the security scheme bearer was removed",
  ],
  "a security scheme with a different header": [
    put("X-Key", "components", "securitySchemes", "apiKey", "name"),
    'the security scheme apiKey changed from {"in":"header","name":"X-API-Key","type":"apiKey"} to {"in":"header","name":"X-Key","type":"apiKey"}',
  ],
  "an authentication method that one operation no longer accepts": [
    put([{ apiKey: [] }], ...PLACE, "security"),
    "POST /v1/items no longer accepts bearer",
  ],
  "a public operation that becomes restricted": [
    drop("paths", "/v1/addresses", "get", "security"),
    "GET /v1/addresses no longer accepts requests without a key",
  ],
  "a different scope for an operation": [
    put("Reads one.\n\nNeeds the scope `items:write`.", ...READ, "description"),
    "GET /v1/items/{id} requires the scope items:write instead of items:read",
  ],
};

/** Changes that SPEC.md, Versioning, allows, and changes that require less from clients. */
const additive: Record<string, Edit> = {
  nothing: (document) => document,
  "a new path": put({ get: { operationId: "new", responses: {} } }, "paths", "/v1/new"),
  "a new operation": put({ operationId: "new", responses: {} }, "paths", "/v1/items", "get"),
  "a response field that becomes required": put(
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
  "a parameter name in different letter case": put("if-none-match", ...READ, "parameters", 2, "name"),
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
  "a new authentication method": put([{ apiKey: [] }, { bearer: [] }, { basic: [] }], ...PLACE, "security"),
  "an operation that becomes public": put([], ...READ, "security"),
  "a changed description": put("Gets one. Needs the scope `items:read`.", ...READ, "description"),
  "a changed title": put("Other", "info", "title"),
  "a changed summary": put("Other", ...READ, "summary"),
  "a parameter that becomes optional": put(false, ...PLACE, "parameters", 0, "required"),
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

suite("a break is detected", () => {
  for (const [title, [edit, message]] of Object.entries(breaking)) {
    test(title, () => assert.deepEqual(findBreaks(smallDocument, edit(smallDocument)), [message]));
  }
});

suite("no break is reported", () => {
  for (const [title, edit] of Object.entries(additive)) {
    test(title, () => assert.deepEqual(findBreaks(smallDocument, edit(smallDocument)), []));
  }
});
