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
  "requests:read",
] as const;
export type Scope = (typeof SCOPES)[number];

/** What a key may do unless it was created for less, or for more. Scopes that came later have to be asked for. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== "requests:read");

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
    /** Who asked, admitted or not, for the request log alone. `caller` is set once the request is admitted. */
    requester: Caller | undefined;
    /** A key that was presented and not accepted, as far as the log may know it. */
    refusedKey: { hint: string; digest: Buffer } | undefined;
    /** The problem that was sent as the answer. */
    sentProblem: { code: string; body: Buffer } | undefined;
  }
}

/** The caller of a route that declares a scope. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error(`${request.routeOptions.url} asks for a caller but declares no scope`);
  return request.caller;
}
