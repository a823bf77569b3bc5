import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from "fastify";
import { Problem, problemBody } from "../lib/problem.ts";
import { problemTable } from "../lib/problem-table.ts";
import { JsonError } from "../lib/strict-json.ts";
import { NO_SNIFF } from "./bare-app.ts";
import { fieldErrors } from "./field-errors.ts";
import { BODY_MAX_BYTES } from "./read-body.ts";
import { isUnread, sendUnread } from "./unread-body.ts";

export type ProblemDeps = {
  baseUrl: () => string;
  /** Converts an error from a lower layer to a problem, if it has one. */
  translate: (error: unknown) => Problem | undefined;
};

export const PROBLEM_TYPE = "application/problem+json; charset=utf-8";

/** Sends every request error as problem+json with the request id. */
export function answerWithProblems(app: FastifyInstance, deps: ProblemDeps): void {
  app.decorateRequest("sentProblem", undefined);
  app.setErrorHandler((error, request, reply) =>
    sendProblem(deps, toProblem(deps, error, request.routeOptions.bodyLimit), request, reply),
  );
}

/** A problem as part of a successful response, such as the refusal of one order of several. */
export function describeProblem(deps: ProblemDeps, error: unknown, request: FastifyRequest): object {
  const problem = toProblem(deps, error);
  logProblem(problem, request);
  return problemBody(problem, deps.baseUrl(), request.id);
}

export function sendProblem(
  deps: ProblemDeps,
  problem: Problem,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  logProblem(problem, request);
  reply
    .code(problem.status)
    .header("x-request-id", request.id)
    .header(...NO_SNIFF)
    .header("cache-control", "no-store")
    .headers(problem.options.headers ?? {});
  // Sent as bytes: the route's response schema is for successes and must not reshape errors.
  const body = Buffer.from(JSON.stringify(problemBody(problem, deps.baseUrl(), request.id)));
  request.sentProblem = { code: problem.code, body };
  reply.type(PROBLEM_TYPE);
  return isUnread(request) ? sendUnread(request, reply, body) : reply.send(body);
}

/** What an error means for a caller. */
export function toProblem(deps: ProblemDeps, error: unknown, bodyMaxBytes = BODY_MAX_BYTES): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof JsonError) {
    return new Problem("invalid_request", error.message, {
      errors: [{ pointer: error.pointer, code: "invalid_json", detail: error.message }],
    });
  }
  // Fastify's errors come first: a caller that disconnects during a body also causes ECONNRESET, which is not a
  // database error.
  return fromFramework(error as FastifyError, bodyMaxBytes) ?? deps.translate(error) ?? internalError(error);
}

/** Fastify's own errors, by their codes. */
function fromFramework(error: FastifyError, bodyMaxBytes: number): Problem | undefined {
  switch (error.code) {
    case "FST_ERR_VALIDATION":
      return invalidFields(error.validation ?? []);
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new Problem("payload_too_large", `The body exceeds ${bodyMaxBytes / 1024} KiB.`);
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
    case "FST_ERR_CTP_EMPTY_TYPE":
      return new Problem("unsupported_media_type", "Send the body as application/json.");
    case "FST_ERR_HANDLER_TIMEOUT":
      return new Problem("service_unavailable", "The request took too long.", {
        headers: { "retry-after": "1" },
      });
    default:
      if (error.statusCode === undefined || error.statusCode < 400 || error.statusCode >= 500)
        return undefined;
      return new Problem("invalid_request", "The request could not be parsed.", {
        log: { reason: error.message },
      });
  }
}

export function invalidFields(found: readonly FastifySchemaValidationError[]): Problem {
  const errors = fieldErrors(found);
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return new Problem("invalid_request", first ? `${first.detail}${more}` : "The body is invalid.", {
    errors,
  });
}

const internalError = (cause: unknown): Problem =>
  new Problem(
    "internal_error",
    "An internal error occurred. Use the request id to find it in the server log.",
    {
      cause,
    },
  );

export function logProblem(problem: Problem, request: FastifyRequest): void {
  const fields = { code: problem.code, ...problem.options.log };
  const isFault = problem.status >= 500 && !problem.options.isAskedFor;
  if (isFault) request.log.error({ ...fields, err: problem.options.cause }, problem.message);
  // The detail can quote what the caller sent, which must not be logged.
  else request.log.debug(fields, problemTable[problem.code].title);
}
