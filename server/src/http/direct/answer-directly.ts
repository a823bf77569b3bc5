import type { FastifyReply, FastifyRequest } from "fastify";
import { parseStrictJson } from "../../lib/strict-json.ts";
import { invalidFields, type ProblemDeps, sendProblem, toProblem } from "../send-problem.ts";
import type { DirectReply, DirectRoute } from "./direct-reply.ts";
import type { DirectRequest } from "./direct-request.ts";

/** Runs a route as Fastify would: hooks, body, parameters, handler, reply, hooks. Always answers, and never throws. */
export async function answerDirectly(
  problems: ProblemDeps,
  route: DirectRoute,
  request: DirectRequest,
  reply: DirectReply,
  body: Buffer | undefined,
): Promise<void> {
  try {
    for (const hook of route.onRequest) await hook(request, reply);
    if (route.checkBody) request.body = checkedBody(route.checkBody, body);
    const parameters = route.checkQuery(request.query as Record<string, unknown>);
    if (parameters !== true) throw parameters.error;
    const handled = route.handler(request, reply);
    const value = handled instanceof Promise ? await handled : handled;
    if (!reply.sent) sendJson(route, reply, value);
  } catch (error) {
    answerProblem(problems, error, request, reply);
  }
  for (const hook of route.onResponse) hook(request, reply, ignore);
}

const ignore = (): void => {};

function checkedBody(check: NonNullable<DirectRoute["checkBody"]>, bytes: Buffer | undefined): unknown {
  const body = bytes === undefined ? undefined : parseStrictJson(bytes);
  const checked = check(body);
  if (checked !== true) throw invalidFields(checked.error);
  return body;
}

function sendJson(route: DirectRoute, reply: DirectReply, value: unknown): void {
  const text = route.serializerOf(String(reply.statusCode))(value);
  reply.type(JSON_TYPE).send(text);
}

const JSON_TYPE = "application/json; charset=utf-8";

/** A problem of a reply that was already sent is only logged: there is no second reply. */
function answerProblem(
  problems: ProblemDeps,
  error: unknown,
  request: DirectRequest,
  reply: DirectReply,
): void {
  if (reply.sent) request.log.error({ err: error }, "a request failed after its reply");
  else
    sendProblem(
      problems,
      toProblem(problems, error),
      // Both have what a problem needs of them.
      request as unknown as FastifyRequest,
      reply as unknown as FastifyReply,
    );
}
