import type { FastifyRequest } from "fastify";
import type { Actor } from "../lib/actor.ts";
import type { IpRange } from "../lib/ip.ts";

/** A reseller and one of its two environments. Every query of a tenant's table filters by both. */
export type Tenant = { resellerId: string; environment: "live" | "test" };

export const SCOPES = [
  "catalog:read",
  "orders:read",
  "orders:write",
  "wallet:read",
  "wallet:write",
  "webhooks:manage",
  "requests:read",
] as const;
export type Scope = (typeof SCOPES)[number];
/** What a route requires: a scope, or a valid key whatever its scopes. */
export type RequiredScope = Scope | "any";

/** The scopes of a new key by default. Only the request log must be requested. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== "requests:read");

/** The caller, as the database had it when this request started. Never kept beyond the request. */
export type Caller = Tenant & {
  actor: Actor;
  scopes: readonly string[];
  allowedIps: readonly IpRange[];
  /** Requests per second, if the reseller's limits differ from the server's. 0 disables a limit. */
  rateLimits: { orders: number | undefined; reads: number | undefined };
  /** Identifies one state of the catalog as this reseller sees it. */
  catalogRevision: string;
};

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | undefined;
    /** The client's address, according to the trusted proxies. */
    callerAddress: string;
    /** The caller, admitted or not, for the request log only. `caller` is set once the request is admitted. */
    requester: Caller | undefined;
    /** Counts this request as so many more. Throws 429 if the caller has overdrawn its limit. Set for an admitted one. */
    countAs: ((more: number) => Promise<void>) | undefined;
    /** A key that was presented and refused, in the form that the log can contain. */
    refusedKey: { hint: string; digest: Buffer } | undefined;
    /** The problem that was sent as the response. */
    sentProblem: { code: string; body: Buffer } | undefined;
  }
}

/** The caller of a route that declares a scope. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error(`${request.routeOptions.url} needs a caller but declares no scope`);
  return request.caller;
}
