import type { Scope } from "../http/caller.ts";
import type { OpenApiDocument } from "../http/openapi.ts";

/** One operation of the API, with an address that can be called. */
export type ApiRoute = {
  method: string;
  path: string;
  url: string;
  /** What CONTRACT 2 asks of a key here; undefined where no key is needed. */
  scope: Scope | undefined;
  /** A valid body, where one is required: it is judged before the object is looked for. */
  body: object | undefined;
  /** Addresses of what exists and the test's reseller may not see. */
  unseenUrls: readonly string[];
};

/**
 * Every /v1 operation that the document names, a HEAD beside each GET. A new route is in here by itself; one whose
 * path or scope this file does not know fails the test, so that none is left out by oversight.
 */
export function apiRoutes(document: OpenApiDocument): ApiRoute[] {
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith("/v1/"))
    .flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => ({ path, method: method.toUpperCase() })),
    )
    .flatMap((route) => (route.method === "GET" ? [route, { ...route, method: "HEAD" }] : [route]))
    .map(({ path, method }) => ({
      method,
      path,
      url: fill(path, objectsOf(path).seen),
      scope: scopeOf(method, path),
      body: BODIES[`${method} ${path}`],
      unseenUrls: objectsOf(path).unseen.map((id) => fill(path, id)),
    }));
}

/** CONTRACT 2, Scopes, said once more: a route that declares another scope than this fails. */
const SCOPES: readonly { method: RegExp; path: RegExp; scope: Scope | undefined }[] = [
  { method: /^(GET|HEAD)$/, path: /^\/v1\/(catalog$|products\/)/, scope: "catalog:read" },
  { method: /^POST$/, path: /^\/v1\/orders$/, scope: "orders:write" },
  { method: /^(GET|HEAD)$/, path: /^\/v1\/orders(\/|$)/, scope: "orders:read" },
  { method: /^(GET|HEAD)$/, path: /^\/v1\/(balance|wallet\/entries)$/, scope: "wallet:read" },
  { method: /^(GET|HEAD)$/, path: /^\/v1\/webhooks\/egress-ips$/, scope: undefined },
  { method: /./, path: /^\/v1\/(webhooks|deliveries|events|event-types)(\/|$)/, scope: "webhooks:manage" },
];

export function scopeOf(method: string, path: string): Scope | undefined {
  const rule = SCOPES.find((candidate) => candidate.method.test(method) && candidate.path.test(path));
  if (!rule) throw new Error(`say in testing/api-routes.ts which scope ${method} ${path} needs`);
  return rule.scope;
}

/** The objects that a test makes before it walks: one that its reseller sees, and others that it must not. */
export const SEEN_PRODUCT = "seen";
export const UNSEEN_PRODUCTS = { hidden: "hidden", inactive: "inactive", unlisted: "unlisted" } as const;

export const SEEN_ORDER = "ord_00000000000000000000000001";
export const UNSEEN_ORDERS = {
  anotherResellers: "ord_00000000000000000000000002",
} as const;

export const SEEN_WEBHOOK = "whk_00000000000000000000000001";
export const UNSEEN_WEBHOOKS = {
  anotherResellers: "whk_00000000000000000000000002",
  removed: "whk_00000000000000000000000003",
} as const;
const WEBHOOKS = { seen: SEEN_WEBHOOK, unseen: Object.values(UNSEEN_WEBHOOKS) };

export const SEEN_EVENT = "evt_00000000000000000000000001";
export const UNSEEN_EVENTS = {
  anotherResellers: "evt_00000000000000000000000002",
} as const;

export const SEEN_DELIVERY = "dlv_00000000000000000000000001";
export const UNSEEN_DELIVERIES = {
  anotherResellers: "dlv_00000000000000000000000002",
  ofRemovedWebhook: "dlv_00000000000000000000000003",
} as const;

const OBJECTS: Readonly<Record<string, { seen: string; unseen: readonly string[] }>> = {
  "/v1/products/{id}": { seen: SEEN_PRODUCT, unseen: Object.values(UNSEEN_PRODUCTS) },
  "/v1/orders/{id}": { seen: SEEN_ORDER, unseen: Object.values(UNSEEN_ORDERS) },
  "/v1/orders/{id}/codes": { seen: SEEN_ORDER, unseen: Object.values(UNSEEN_ORDERS) },
  "/v1/webhooks/{id}": WEBHOOKS,
  "/v1/webhooks/{id}/rotate": WEBHOOKS,
  "/v1/webhooks/{id}/test": WEBHOOKS,
  "/v1/webhooks/{id}/recover": WEBHOOKS,
  "/v1/webhooks/{id}/deliveries": WEBHOOKS,
  "/v1/deliveries/{id}/redeliver": { seen: SEEN_DELIVERY, unseen: Object.values(UNSEEN_DELIVERIES) },
  "/v1/events/{id}": { seen: SEEN_EVENT, unseen: Object.values(UNSEEN_EVENTS) },
};

/** The time of a walk, for bodies that tell times. */
export const WALKED_AT_MS = Date.UTC(2026, 0, 1);

const BODIES: Readonly<Record<string, object>> = {
  // The URL is not allowed, which nobody may learn who does not have the endpoint.
  "PATCH /v1/webhooks/{id}": { url: "http://localhost/" },
  "POST /v1/webhooks/{id}/recover": { since: new Date(WALKED_AT_MS).toISOString() },
};

function objectsOf(path: string): { seen: string; unseen: readonly string[] } {
  if (!path.includes("{")) return { seen: "", unseen: [] };
  const objects = OBJECTS[path];
  if (!objects) throw new Error(`say in testing/api-routes.ts how to fill ${path}`);
  return objects;
}

const fill = (path: string, id: string): string => path.replace(/\{\w+\}/, encodeURIComponent(id));
