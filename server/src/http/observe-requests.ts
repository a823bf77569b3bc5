import type { FastifyInstance, FastifyReply, FastifyRequest, onResponseHookHandler } from "fastify";
import type { Log } from "../lib/log.ts";
import { hookEachRoute } from "./each-route.ts";
import type { Latencies } from "./latencies.ts";

/**
 * Measures each request and writes one line of log for it. Neither headers nor query strings are written: both may
 * carry what is secret. Metrics count by route pattern and status, never by id, key or reseller.
 */
export function observeRequests(app: FastifyInstance, latencies: Latencies, log: Log): void {
  const quiet = !log.isLevelEnabled("info");
  const observe = (request: FastifyRequest, reply: FastifyReply, route: string, silent: boolean) => {
    latencies.observe(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    if (quiet || silent) return;
    log.info(
      {
        requestId: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        keyId: request.caller?.keyId,
        resellerId: request.caller?.resellerId,
      },
      "request",
    );
  };

  hookEachRoute(app, "onResponse", (route): onResponseHookHandler => {
    const silent = route.logLevel === "warn";
    return (request, reply, done) => {
      observe(request, reply, route.url, silent);
      done();
    };
  });
  // What no route took has no hook of its own.
  app.addHook("onResponse", (request, reply, done) => {
    if (request.is404) observe(request, reply, "unknown", false);
    done();
  });
}
