import Fastify, { type FastifyInstance, LogController } from "fastify";
import type { Clock } from "../../lib/clock.ts";
import { idsOf } from "../../lib/ids.ts";
import type { Log } from "../../lib/log.ts";
import { Problem } from "../../lib/problem.ts";
import { BODY_MAX_BYTES } from "../read-body.ts";
import { type ProblemDeps, sendProblem } from "../send-problem.ts";
import type { Unroutable } from "../unroutable.ts";
import { withLazyChildren } from "./lazy-child.ts";
import { lazyCompilers } from "./lazy-compilers.ts";
import { HEADERS_TIMEOUT_MS, KEEP_ALIVE_TIMEOUT_MS, REQUEST_TIMEOUT_MS } from "./limits.ts";

const CONNECTION_CHECK_INTERVAL_MS = 1_000;
const HEADERS_MAX_BYTES = 16 * 1024;

/** A server whose every limit is set: time, headers, bodies. It has no routes yet. */
export function createFastify(
  deps: { log: Log; clock: Clock },
  problems: ProblemDeps,
  unroutable: Unroutable,
): FastifyInstance {
  const ids = idsOf(deps.clock);
  return Fastify({
    loggerInstance: withLazyChildren(deps.log),
    schemaController: lazyCompilers,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    genReqId: () => ids("req"),
    requestIdHeader: false,
    bodyLimit: BODY_MAX_BYTES,
    // Requests in progress finish. Idle connections are closed.
    forceCloseConnections: "idle",
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTION_CHECK_INTERVAL_MS,
      maxHeaderSize: HEADERS_MAX_BYTES,
      // A second Authorization, Content-Type or Host must not be dropped: it is unknown which of the two is meant.
      joinDuplicateHeaders: true,
      // Node.js's own response to a missing Host has no body. findBadHost sends one.
      requireHostHeader: false,
    },
    // An id of any length reaches its route, so that the key is checked first.
    routerOptions: { maxParamLength: HEADERS_MAX_BYTES },
    clientErrorHandler: (error, socket) => unroutable.answerUnreadable(error, socket),
    frameworkErrors: (error, request, reply) => {
      const detail = "The request path could not be parsed.";
      // The error's message quotes the whole URL, which can contain a key. Its code does not.
      const problem = new Problem("invalid_request", detail, { log: { reason: error.code } });
      sendProblem(problems, problem, request, reply);
    },
  }) as unknown as FastifyInstance;
}
