import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Authenticator, headerText, NO_KEY, unauthenticated } from "../http/authenticator.ts";
import type { Caller, RequiredScope } from "../http/caller.ts";
import { clientAddress } from "../http/client-address.ts";
import { hookEachRoute } from "../http/each-route.ts";
import {
  type RateLimitClass,
  type RateLimiter,
  type RateLimitResult,
  type RateLimits,
  rateLimited,
  rateLimitHeaders,
  USED_UP,
} from "../http/rate-limit.ts";
import { actorKey } from "../lib/actor.ts";
import { type IpRange, isInAnyRange, parseIp } from "../lib/ip.ts";
import { Problem } from "../lib/problem.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The scope that this route requires. A route without one is public. */
    scope?: RequiredScope;
    limitClass?: RateLimitClass;
  }
}

export type GuardDeps = {
  /** In the order in which they are asked whether they recognize a request. */
  authenticators: readonly Authenticator[];
  rateLimiter: RateLimiter;
  rateLimits: RateLimits;
  trustedProxies: readonly IpRange[];
  /** A response that the sandbox gives to an admitted request instead of the real one. */
  findForcedAnswer: (caller: Caller, headers: IncomingHttpHeaders) => Problem | undefined;
};

/**
 * Checks every request to a route with a scope: credentials, address, scope, rate limit, in the order of CONTRACT 1,
 * then the sandbox.
 */
export function guardRequests(app: FastifyInstance, deps: GuardDeps): void {
  app.decorateRequest("caller", undefined);
  app.decorateRequest("callerAddress", "");
  app.decorateRequest("requester", undefined);
  app.decorateRequest("countAs", undefined);
  app.decorateRequest("refusedKey", undefined);
  hookEachRoute(app, "onRequest", ({ config }) => {
    const { scope, limitClass = "reads", conditional = false } = config ?? {};
    return (
      scope &&
      ((request, reply) => {
        // The response is for this key only, and shared caches do not know X-API-Key.
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
  { scope, limitClass }: { scope: RequiredScope; limitClass: RateLimitClass },
): Promise<void> {
  const address = clientAddress(
    request.raw.socket.remoteAddress,
    headerText(request.headers["x-forwarded-for"]),
    deps.trustedProxies,
  );
  // Set before the key is checked, because refused requests are also counted by address.
  request.callerAddress = address;
  const authenticator = deps.authenticators.find((one) => one.recognizes(request));
  const caller = await authenticator?.authenticate(request);
  request.requester = caller;
  const refusal = caller
    ? refuse(caller, address, scope)
    : unauthenticated(authenticator ? authenticator.explain?.(request) : NO_KEY);
  // A request that was already refused does not count against the limit, but its response shows what is left.
  const limited = refusal
    ? peekLimit(deps, reply, caller, limitClass)
    : await takeFromLimit(deps, reply, caller, limitClass);
  const forced = caller && !refusal && !limited && deps.findForcedAnswer(caller, request.headers);
  if (forced && forced.code === "rate_limited") showLimit(deps, reply, caller, limitClass, () => USED_UP);
  const problem = refusal ?? limited ?? forced;
  if (problem) throw problem;
  request.caller = caller;
  request.countAs = async (more) => {
    const overdrawn = await takeFromLimit(deps, reply, caller, limitClass, more);
    if (overdrawn) throw overdrawn;
  };
}

/** If no key is known, the response shows the server's own limits. */
export function showServerLimits(deps: GuardDeps, reply: FastifyReply): void {
  peekLimit(deps, reply, undefined, "reads");
}

/** Counts this request, or so many more for it. Other processes are asked only when the key is busy. */
async function takeFromLimit(
  deps: GuardDeps,
  reply: FastifyReply,
  caller: Caller | undefined,
  limitClass: RateLimitClass,
  more?: number,
): Promise<Problem | undefined> {
  const rate = rateOf(deps, caller, limitClass);
  if (rate === 0) return undefined;
  const bucket = bucketOf(caller, limitClass);
  const { rateLimiter } = deps;
  const taken =
    more === undefined ? rateLimiter.take(bucket, rate) : rateLimiter.overdraw(bucket, rate, more);
  const result = taken instanceof Promise ? await taken : taken;
  showLimit(deps, reply, caller, limitClass, () => result);
  return problemOf(result);
}

function peekLimit(
  deps: GuardDeps,
  reply: FastifyReply,
  caller: Caller | undefined,
  limitClass: RateLimitClass,
): Problem | undefined {
  const bucket = bucketOf(caller, limitClass);
  return problemOf(showLimit(deps, reply, caller, limitClass, (rate) => deps.rateLimiter.peek(bucket, rate)));
}

const problemOf = (result: RateLimitResult | undefined): Problem | undefined =>
  !result || result.allowed ? undefined : rateLimited(result.retryAfterSeconds);

const bucketOf = (caller: Caller | undefined, limitClass: RateLimitClass): string =>
  `${limitClass}:${caller ? holderOf(caller, limitClass) : ""}`;

const rateOf = (deps: GuardDeps, caller: Caller | undefined, limitClass: RateLimitClass): number =>
  limitClass === "checks"
    ? (deps.rateLimits.checks ?? 0)
    : (caller?.rateLimits[limitClass] ?? deps.rateLimits[limitClass]);

/** A limit is for each key. Checks are limited for each reseller, so that no one harvests players with many keys. */
const holderOf = ({ actor, resellerId, environment }: Caller, limitClass: RateLimitClass): string =>
  limitClass === "checks" ? `${resellerId} ${environment}` : actorKey(actor);

/** Shows the policy and what `look` returns as remaining. Undefined if there is no limit. */
function showLimit(
  deps: GuardDeps,
  reply: FastifyReply,
  caller: Caller | undefined,
  limitClass: RateLimitClass,
  look: (ratePerSecond: number) => RateLimitResult,
): RateLimitResult | undefined {
  const ratePerSecond = rateOf(deps, caller, limitClass);
  if (ratePerSecond === 0) return undefined;
  const result = look(ratePerSecond);
  const { policy, state } = rateLimitHeaders(limitClass, ratePerSecond, result);
  reply.header("ratelimit-policy", policy);
  reply.header("ratelimit", state);
  return result;
}

function refuse(caller: Caller, address: string, scope: RequiredScope): Problem | undefined {
  if (caller.allowedIps.length > 0 && !isAllowed(caller, address)) {
    return new Problem("ip_not_allowed", "This key does not accept requests from this IP address.");
  }
  if (scope !== "any" && !caller.scopes.includes(scope)) {
    return new Problem("forbidden", `This operation requires a key with the scope ${scope}.`);
  }
  return undefined;
}

/** An unparsable address is refused. */
function isAllowed({ allowedIps }: Caller, text: string): boolean {
  const address = parseIp(text);
  return address !== undefined && isInAnyRange(address, allowedIps);
}
