import type { FastifyInstance, FastifyReply, FastifyRequest, onResponseHookHandler } from "fastify";
import type { Log } from "../lib/log.ts";
import { hookEachRoute } from "./each-route.ts";
import type { Latencies } from "./latencies.ts";

/**
 * Measures each request and logs one line for it, without headers and query strings, because both can contain
 * secrets. Metrics are labelled by route pattern and status, never by id, key or reseller. The returned function is
 * for requests that match no route.
 */
export function observeRequests(
  app: FastifyInstance,
  latencies: Latencies,
  log: Log,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const quiet = !log.isLevelEnabled("info");
  const write = (request: FastifyRequest, reply: FastifyReply, route: string) =>
    log.info(
      {
        requestId: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        actor: request.caller?.actor,
        resellerId: request.caller?.resellerId,
        address: request.callerAddress || request.raw.socket.remoteAddress,
      },
      "request",
    );

  hookEachRoute(app, "onResponse", ({ method, url, logLevel }): onResponseHookHandler => {
    const observe = latencies.forRoute(String(method), url);
    const silent = quiet || logLevel === "warn";
    return (request, reply, done) => {
      observe(reply.statusCode, reply.elapsedTime);
      if (!silent) write(request, reply, url);
      done();
    };
  });
  return (request, reply) => {
    // A request that matched no route has no route hook.
    reply.raw.once("finish", () => {
      latencies.forRoute(request.method, "unknown")(reply.statusCode, reply.elapsedTime);
      if (!quiet) write(request, reply, "unknown");
    });
  };
}
