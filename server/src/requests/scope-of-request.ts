import type { RequiredScope, Scope } from "../http/caller.ts";

/** The first part of a path, and the scope that reads it. CONTRACT 2; a test compares this with every operation. */
const SCOPES: Readonly<Record<string, RequiredScope>> = {
  me: "any",
  catalog: "catalog:read",
  products: "catalog:read",
  orders: "orders:read",
  "encryption-key": "orders:read",
  balance: "wallet:read",
  wallet: "wallet:read",
  deposits: "wallet:read",
  webhooks: "webhooks:manage",
  deliveries: "webhooks:manage",
  events: "webhooks:manage",
  "event-types": "webhooks:manage",
  requests: "requests:read",
};

/** What a change needs instead of the scope that reads. */
const WRITING: Partial<Record<RequiredScope, Scope>> = {
  "orders:read": "orders:write",
  "wallet:read": "wallet:write",
};

/** The scope that a logged request needed; undefined if it is not known. */
export function scopeOfRequest(method: string, path: string): RequiredScope | undefined {
  const scope = SCOPES[path.split("/")[2] ?? ""];
  const isRead = method === "GET" || method === "HEAD";
  return scope && !isRead ? (WRITING[scope] ?? scope) : scope;
}
