import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Authenticator, headerText, unauthenticated } from "../http/authenticator.ts";
import type { Caller, Scope } from "../http/caller.ts";
import { clientAddress } from "../http/client-address.ts";
import { hookEachRoute } from "../http/each-route.ts";
import {
  type RateLimitClass,
  type RateLimiter,
  type RateLimitResult,
  rateLimited,
  rateLimitHeaders,
  USED_UP,
} from "../http/rate-limit.ts";
import { actorKey } from "../lib/actor.ts";
import { type IpRange, isInAnyRange, parseIp } from "../lib/ip.ts";
import { Problem } from "../lib/problem.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What a key must be allowed for this route. A route without it is open to all. */
    scope?: Scope;
    limitClass?: RateLimitClass;
  }
}

export type GuardDeps = {
  /** In the order in which they are asked whether a request is theirs. */
  authenticators: readonly Authenticator[];
  rateLimiter: RateLimiter;
  rateLimits: { orders: number; reads: number };
  trustedProxies: readonly IpRange[];
  /** An answer that the sandbox gives to an admitted request in place of what it asks for. */
  findForcedAnswer: (caller: Caller, headers: IncomingHttpHeaders) => Problem | undefined;
};

/** Every request to a route with a scope: credentials, address, scope, rate limit, in the order of CONTRACT 1, then the sandbox. */
export function guardRequests(app: FastifyInstance, deps: GuardDeps): void {
  app.decorateRequest("caller", undefined);
  app.decorateRequest("callerAddress", "");
  app.decorateRequest("requester", undefined);
  app.decorateRequest("refusedKey", undefined);
  hookEachRoute(app, "onRequest", ({ config }) => {
    const { scope, limitClass = "reads", conditional = false } = config ?? {};
    return (
      scope &&
      ((request, reply) => {
        // What a key may read is for that key alone: a cache in between knows nothing of X-API-Key.
        if (!conditional) reply.header("cache-control", "no-store");
        return guard(deps, request, reply, { scope, limitClass });
      })
    );
  });
}

async function guard(
  deps: GuardDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { scope, limitClass }: { scope: Scope; limitClass: RateLimitClass },
): Promise<void> {
  const address = clientAddress(
    request.raw.socket.remoteAddress,
    headerText(request.headers["x-forwarded-for"]),
    deps.trustedProxies,
  );
  // Before the key is judged: refused requests are counted by address too.
  request.callerAddress = address;
  const caller = await deps.authenticators.find((one) => one.recognizes(request))?.authenticate(request);
  request.requester = caller;
  const refusal = caller ? refuse(caller, address, scope) : unauthenticated();
  // What was refused already takes nothing from the key's allowance, but is told what is left of it.
  const limited = applyRateLimit(deps, reply, caller, limitClass, refusal ? "peek" : "take");
  const forced = caller && !refusal && !limited && deps.findForcedAnswer(caller, request.headers);
  if (forced && forced.code === "rate_limited") showLimit(deps, reply, caller, limitClass, () => USED_UP);
  const problem = refusal ?? limited ?? forced;
  if (problem) throw problem;
  request.caller = caller;
}

/** Where no key is known, a reply tells the server's own limits. */
export function showServerLimits(deps: GuardDeps, reply: FastifyReply): void {
  applyRateLimit(deps, reply, undefined, "reads", "peek");
}

function applyRateLimit(
  deps: GuardDeps,
  reply: FastifyReply,
  caller: Caller | undefined,
  limitClass: RateLimitClass,
  mode: "take" | "peek",
): Problem | undefined {
  const bucket = `${limitClass}:${caller ? actorKey(caller.actor) : ""}`;
  const result = showLimit(deps, reply, caller, limitClass, (rate) => deps.rateLimiter[mode](bucket, rate));
  return !result || result.allowed ? undefined : rateLimited(result.retryAfterSeconds);
}

/** Tells the policy and what `look` finds is left of it; undefined where no limit is set. */
function showLimit(
  deps: GuardDeps,
  reply: FastifyReply,
  caller: Caller | undefined,
  limitClass: RateLimitClass,
  look: (ratePerSecond: number) => RateLimitResult,
): RateLimitResult | undefined {
  const ratePerSecond = caller?.rateLimits[limitClass] ?? deps.rateLimits[limitClass];
  if (ratePerSecond === 0) return undefined;
  const result = look(ratePerSecond);
  const { policy, state } = rateLimitHeaders(limitClass, ratePerSecond, result);
  reply.header("ratelimit-policy", policy);
  reply.header("ratelimit", state);
  return result;
}

function refuse(caller: Caller, address: string, scope: Scope): Problem | undefined {
  if (caller.allowedIps.length > 0 && !isAllowed(caller, address)) {
    return new Problem("ip_not_allowed", "This key does not accept requests from this address.");
  }
  if (!caller.scopes.includes(scope)) {
    return new Problem("forbidden", `This operation needs a key with the scope ${scope}.`);
  }
  return undefined;
}

/** What cannot be parsed is refused. */
function isAllowed({ allowedIps }: Caller, text: string): boolean {
  const address = parseIp(text);
  return address !== undefined && isInAnyRange(address, allowedIps);
}
