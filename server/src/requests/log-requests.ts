import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hookEachRoute } from "../http/each-route.ts";
import { maskSecrets } from "../lib/secret.ts";
import type { LoggedRequest } from "./logged-request.ts";
import type { RequestLog } from "./request-log.ts";

/** The longest way to write an address. What a proxy passes on may be no address at all, and much longer. */
const ADDRESS_MAX_CHARACTERS = 45;
const PATH_MAX_CHARACTERS = 512;
const BODY_MAX_BYTES = 8_192;
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/**
 * Puts each request to an operation of the API into the log once it is answered. Query strings are left out, since they may
 * contain secrets by mistake, and so are the bodies of requests and of successful answers.
 */
export function logRequests(app: FastifyInstance, requestLog: RequestLog): void {
  hookEachRoute(app, "onResponse", ({ config, url }) => {
    if (config?.scope === undefined || !url.startsWith("/v1/")) return undefined;
    return (request, reply, done) => {
      if (request.requester || request.refusedKey) requestLog.add(describe(request, reply));
      done();
    };
  });
}

function describe(request: FastifyRequest, reply: FastifyReply): LoggedRequest {
  const { requester, refusedKey, sentProblem } = request;
  return {
    id: request.id,
    resellerId: requester?.resellerId ?? null,
    environment: requester?.environment ?? null,
    actor: requester?.actor ?? null,
    keyHint: refusedKey?.hint ?? null,
    keyDigest: refusedKey?.digest ?? null,
    method: request.method,
    path: pathOf(request.url),
    status: reply.statusCode,
    errorCode: sentProblem?.code ?? null,
    // JSON has no control characters outside of escapes, and half of it is no use to anyone.
    errorBody:
      sentProblem && sentProblem.body.length <= BODY_MAX_BYTES
        ? maskSecrets(sentProblem.body.toString("utf8"))
        : null,
    durationMs: Math.round(reply.elapsedTime),
    address: addressOf(request.callerAddress),
  };
}

/** Nothing to clean: most addresses and paths. */
const PLAIN_PATH = /^\/v1\/[a-z/]{0,40}$/;
const PLAIN_ADDRESS = /^[0-9a-f.:]{1,45}$/;

function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  return PLAIN_PATH.test(path) ? path : clean(maskSecrets(path), PATH_MAX_CHARACTERS);
}

const addressOf = (address: string): string =>
  PLAIN_ADDRESS.test(address) ? address : clean(address, ADDRESS_MAX_CHARACTERS) || "unknown";

const clean = (text: string, maxCharacters: number): string =>
  text.slice(0, maxCharacters).replaceAll(CONTROL_CHARACTERS, " ");
