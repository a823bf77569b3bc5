import type { Scope } from "../http/caller.ts";

/** The first part of a path, and the scope that reads it. CONTRACT 2; a test compares this with every operation. */
const SCOPES: Readonly<Record<string, Scope>> = {
  catalog: "catalog:read",
  products: "catalog:read",
  orders: "orders:read",
  "encryption-key": "orders:read",
  balance: "wallet:read",
  wallet: "wallet:read",
  webhooks: "webhooks:manage",
  deliveries: "webhooks:manage",
  events: "webhooks:manage",
  "event-types": "webhooks:manage",
  requests: "requests:read",
};

/** The scope that a logged request needed; undefined if it is not known. */
export function scopeOfRequest(method: string, path: string): Scope | undefined {
  const scope = SCOPES[path.split("/")[2] ?? ""];
  return scope === "orders:read" && method === "POST" ? "orders:write" : scope;
}
