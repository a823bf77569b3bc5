import type { RequiredScope } from "../../src/http/caller.ts";
import type { OpenApiDocument } from "../../src/http/openapi/openapi.ts";
import { operationsOf } from "../../src/http/openapi/parts.ts";

/** The kind of object that an operation names. */
export type ObjectKind = "product" | "order" | "webhook" | "event" | "delivery" | "request" | "deposit";

/** One operation of the API, with a URL that can be called. */
export type ApiRoute = {
  operationId: string;
  method: string;
  path: string;
  /** A well-formed URL. The object it names need not exist. */
  url: string;
  /** The scope that CONTRACT 2 requires here. Undefined if no key is needed. */
  scope: RequiredScope | undefined;
  object: ObjectKind | undefined;
  /** A valid body for that URL, if one is required. */
  body: object | undefined;
  /** The operation on one object, as an authorized caller would call it. */
  callOn(objectId: string): { url: string; body: object | undefined };
  /** The status of a success (CONTRACT 1). */
  success: number;
};

/**
 * Every /v1 operation in the document, with a HEAD for each GET. New routes are included automatically. A route
 * without a row in this file fails the tests, so that its access rule is not forgotten.
 */
export function apiRoutes(document: OpenApiDocument): ApiRoute[] {
  return [...operationsOf(document)]
    .filter(([name]) => name.includes(" /v1/"))
    .flatMap(([name, { operationId = "" }]) => {
      const [method = "", path = ""] = name.split(" ");
      const route = { operationId, ...toRoute(method, path) };
      return method === "GET" ? [route, { ...route, method: "HEAD" }] : [route];
    });
}

function toRoute(method: string, path: string): Omit<ApiRoute, "operationId"> {
  const { scope, of: object, body, success = 200 } = ruleOf(method, path);
  const callOn = (id: string) => ({
    url: path.replace(/\{\w+\}/, encodeURIComponent(id)),
    body: typeof body === "function" ? body(id) : body,
  });
  return { method, path, scope, object, callOn, success, ...callOn(object ? SOME_IDS[object] : "") };
}

/** The scope that an operation needs, according to this file. */
export const scopeOf = (method: string, path: string): RequiredScope | undefined =>
  ruleOf(method, path).scope;

export const SEEN_PRODUCT = "seen";

const SOME_IDS: Readonly<Record<ObjectKind, string>> = {
  product: SEEN_PRODUCT,
  order: "ord_00000000000000000000000001",
  webhook: "whk_00000000000000000000000001",
  event: "evt_00000000000000000000000001",
  delivery: "dlv_00000000000000000000000001",
  request: "req_00000000000000000000000001",
  deposit: "dep_00000000000000000000000001",
};

type Rule = {
  scope: RequiredScope | undefined;
  of?: ObjectKind;
  /** A valid body, or a function if it names the object. */
  body?: object | ((id: string) => object);
  success?: number;
};

const catalog = { scope: "catalog:read" } as const;
const orders = { scope: "orders:read" } as const;
const wallet = { scope: "wallet:read" } as const;
const requests = { scope: "requests:read" } as const;
const webhooks = { scope: "webhooks:manage" } as const;

/** CONTRACT 2, Scopes, restated for each operation. */
const RULES: Readonly<Record<string, Rule>> = {
  "GET /v1/me": { scope: "any" },
  "GET /v1/catalog": catalog,
  "GET /v1/catalog/changes": catalog,
  "GET /v1/products/{id}": { ...catalog, of: "product" },
  "POST /v1/products/{id}/check": { ...catalog, of: "product", body: { inputFields: {} } },
  "POST /v1/orders": {
    scope: "orders:write",
    of: "product",
    body: (productId: string) => ({ lines: [{ productId, quantity: 1 }] }),
    success: 202,
  },
  "POST /v1/orders/batch": {
    scope: "orders:write",
    body: { orders: [{ idempotencyKey: "a", lines: [{ productId: "no-such-product", quantity: 1 }] }] },
  },
  "GET /v1/orders": orders,
  "GET /v1/orders/{id}": { ...orders, of: "order" },
  "GET /v1/orders/{id}/timeline": { ...orders, of: "order" },
  "GET /v1/orders/{id}/codes": { ...orders, of: "order" },
  "PUT /v1/encryption-key": {
    scope: "orders:write",
    body: { publicKey: "OUjP4K0d22ldeA5ZB3GV2mxWUGsCcyl5SrAryoCBXE0" },
  },
  "GET /v1/encryption-key": orders,
  "DELETE /v1/encryption-key": { scope: "orders:write" },
  "GET /v1/balance": wallet,
  "GET /v1/wallet/entries": wallet,
  "POST /v1/deposits": { scope: "wallet:write", body: { amount: 1_000 } },
  "GET /v1/deposits": wallet,
  "GET /v1/deposits/{id}": { ...wallet, of: "deposit" },
  "GET /v1/wallet/alert": wallet,
  "PUT /v1/wallet/alert": { scope: "wallet:write", body: { threshold: 100 } },
  "POST /v1/webhooks": { ...webhooks, body: { url: "https://hooks.example.com/new" }, success: 201 },
  "GET /v1/webhooks": webhooks,
  "GET /v1/webhooks/egress-ips": { scope: undefined },
  "GET /v1/webhooks/{id}": { ...webhooks, of: "webhook" },
  "PATCH /v1/webhooks/{id}": { ...webhooks, of: "webhook", body: { events: ["order.refunded"] } },
  "DELETE /v1/webhooks/{id}": { ...webhooks, of: "webhook" },
  "POST /v1/webhooks/{id}/rotate": { ...webhooks, of: "webhook" },
  "POST /v1/webhooks/{id}/test": { ...webhooks, of: "webhook" },
  "POST /v1/webhooks/{id}/recover": {
    ...webhooks,
    of: "webhook",
    body: () => ({ since: new Date().toISOString() }),
  },
  "GET /v1/webhooks/{id}/deliveries": { ...webhooks, of: "webhook" },
  "POST /v1/deliveries/{id}/redeliver": { ...webhooks, of: "delivery" },
  "GET /v1/events": webhooks,
  "GET /v1/events/{id}": { ...webhooks, of: "event" },
  "GET /v1/event-types": webhooks,
  "GET /v1/requests": requests,
  "GET /v1/requests/{id}": { ...requests, of: "request" },
};

/** The operations that have a row here. */
export const RULED_OPERATIONS: readonly string[] = Object.keys(RULES);

function ruleOf(method: string, path: string): Rule {
  const rule = RULES[`${method} ${path}`];
  if (!rule) throw new Error(`declare in testing/app/api-routes.ts who can call ${method} ${path}`);
  return rule;
}
