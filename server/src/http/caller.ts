import type { FastifyRequest } from "fastify";
import type { Actor } from "../lib/actor.ts";
import type { IpRange } from "../lib/ip.ts";

/** Which reseller's data, and which of its two worlds. Every query of a tenant's table filters by both. */
export type Tenant = { resellerId: string; environment: "live" | "test" };

export const SCOPES = [
  "catalog:read",
  "orders:read",
  "orders:write",
  "wallet:read",
  "webhooks:manage",
] as const;
export type Scope = (typeof SCOPES)[number];

/** Who is asking: what the database said when this request began. Never kept beyond the request. */
export type Caller = Tenant & {
  actor: Actor;
  scopes: readonly string[];
  allowedIps: readonly IpRange[];
  /** Requests per second where the reseller's differ from the server's; 0 is off. */
  rateLimits: { orders: number | undefined; reads: number | undefined };
  /** Names one state of the catalog as this reseller sees it. */
  catalogRevision: string;
};

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | undefined;
    /** Where the request came from, by the proxies that are trusted. */
    callerAddress: string;
  }
}

/** The caller of a route that declares a scope. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error(`${request.routeOptions.url} asks for a caller but declares no scope`);
  return request.caller;
}
