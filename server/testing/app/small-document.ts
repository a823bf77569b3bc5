import type { OpenApiDocument } from "../../src/http/openapi/openapi.ts";

/** A change to a document. The given document is not modified. */
export type Edit = (document: OpenApiDocument) => OpenApiDocument;
type Step = string | number;

/** Removes what this path leads to. */
export const drop =
  (...steps: Step[]): Edit =>
  (document) =>
    change(document, steps, (parent, last) => {
      if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else Reflect.deleteProperty(parent, last);
    });

/** Sets a value at this path. */
export const put =
  (value: unknown, ...steps: Step[]): Edit =>
  (document) =>
    change(document, steps, (parent, last) => Reflect.set(parent, last, value));

function change(
  document: OpenApiDocument,
  steps: Step[],
  act: (parent: object, last: Step) => void,
): OpenApiDocument {
  // Not structuredClone, which keeps a schema that appears in two places identical.
  const copy = JSON.parse(JSON.stringify(document)) as OpenApiDocument;
  const parent = steps
    .slice(0, -1)
    .reduce<unknown>((value, step) => (value as Record<Step, unknown>)[step], copy);
  act(parent as object, steps.at(-1) ?? "");
  return copy;
}

export const READ = ["paths", "/v1/items/{id}", "get"] as const;
export const PLACE = ["paths", "/v1/items", "post"] as const;
export const DELIVER = ["webhooks", "item.made", "post"] as const;
export const ITEM = ["components", "schemas", "Item", "properties"] as const;
export const ORDER = ["components", "schemas", "ItemOrder", "properties"] as const;
export const PROBLEM = ["components", "schemas", "Problem", "properties"] as const;

const text = { type: "string" };

const problem = (status: number, code: string) => ({
  description: code,
  content: {
    "application/problem+json": {
      schema: { $ref: "#/components/schemas/Problem" },
      examples: { [code]: { value: { status, code, detail: "…", request_id: "req_1" } } },
    },
  },
});

const item = {
  type: "object",
  required: ["id", "name"],
  allOf: [{ $ref: "#/components/schemas/Stamped" }],
  properties: {
    id: { type: "string", format: "item-id" },
    name: { type: "string", description: "Its name.", examples: ["a"] },
    state: { type: "string", enum: ["open", "closed"] },
    kind: { oneOf: [{ const: "card" }, { const: "topup" }] },
    price: { $ref: "#/components/schemas/Money" },
    strikePrice: { $ref: "#/components/schemas/Money" },
    tags: { type: "array", items: text },
    parts: { type: "array", items: { type: "object", properties: { label: text } } },
    size: { type: "object", properties: { height: { type: "integer" } } },
    labels: { type: "object", additionalProperties: text },
    proof: { anyOf: [text, { type: "object", properties: { url: text } }] },
    // An item can contain others: a comparison that follows references blindly would never end.
    inside: { type: "array", items: { $ref: "#/components/schemas/Item" } },
  },
};

const itemOrder = {
  type: "object",
  required: ["productId"],
  properties: {
    productId: { type: "string", pattern: "^[a-z-]+$" },
    quantity: { type: "integer", minimum: 1, maximum: 10 },
    note: { type: "string", maxLength: 100 },
    channel: { type: "string", enum: ["web", "shop"] },
    weight: { type: ["string", "number"] },
    ratio: { type: "number" },
    target: { description: "Where to.", anyOf: [text, { type: "integer" }] },
    lines: { type: "array", items: text },
  },
};

/** A document with one of everything that the break check looks at. */
export const smallDocument = {
  openapi: "3.1.0",
  info: { title: "Items", version: "1.0.0" },
  servers: [{ url: "https://items.example" }],
  security: [{ apiKey: [] }, { bearer: [] }],
  "x-event-types": ["item.lost"],
  paths: {
    "/v1/items/{id}": {
      get: {
        operationId: "readItem",
        summary: "Read an item",
        description: "Reads one.\n\nNeeds the scope `items:read`.",
        parameters: [
          { name: "id", in: "path", required: true, schema: text },
          {
            name: "depth",
            in: "query",
            required: false,
            schema: { type: "integer", maximum: 5, default: 3 },
          },
          { name: "If-None-Match", in: "header", schema: text },
        ],
        responses: {
          "200": {
            description: "It.",
            headers: { ETag: { schema: text } },
            content: { "application/json": { schema: { $ref: "#/components/schemas/Item" } } },
          },
          "304": { description: "The same." },
          "404": problem(404, "not_found"),
        },
      },
    },
    "/v1/items": {
      post: {
        operationId: "placeItem",
        parameters: [{ name: "Idempotency-Key", in: "header", required: true, schema: text }],
        requestBody: {
          required: false,
          content: { "application/json": { schema: { $ref: "#/components/schemas/ItemOrder" } } },
        },
        responses: {
          "202": {
            description: "Accepted.",
            headers: { Location: { schema: text } },
            content: {
              "application/json": { schema: { type: "object", properties: { id: text, status: text } } },
            },
          },
          "404": problem(404, "not_found"),
          "409": problem(409, "sold_out"),
        },
      },
    },
    "/v1/addresses": {
      get: { operationId: "listAddresses", security: [], responses: { "200": { description: "They." } } },
    },
  },
  webhooks: {
    "item.made": {
      post: {
        operationId: "itemMade",
        parameters: [{ name: "Service-Signature", in: "header", required: true, schema: text }],
        requestBody: {
          content: { "application/json": { schema: { type: "object", properties: { order_id: text } } } },
        },
        responses: { "200": { description: "Got it." } },
      },
    },
  },
  components: {
    schemas: {
      Item: item,
      ItemOrder: itemOrder,
      Money: { type: "object", properties: { amount: { type: "integer" }, currency: text } },
      Stamped: { type: "object", properties: { createdAt: text } },
      Problem: {
        type: "object",
        properties: {
          status: { type: "integer" },
          code: { type: "string", description: "One of `not_found`, `sold_out`, `teapot`." },
          detail: text,
          request_id: text,
        },
      },
    },
    securitySchemes: {
      apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "A key." },
      bearer: { type: "http", scheme: "bearer" },
    },
  },
};
