import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { logProblem, toProblem } from "../../http/send-problem.ts";
import { isUnread, sendUnread } from "../../http/unread-body.ts";
import { notFound, type Problem } from "../../lib/problem.ts";
import { PAGE_HEADERS } from "../security/page-headers.ts";
import type { BaseSession } from "./define-page.ts";
import type { Detour, FaceOptions } from "./face.ts";
import { sendToSignIn } from "./page-handler.ts";
import { bodyOf, contextOf, pathOf, sessionOf, willOf } from "./page-state.ts";
import { problemContent } from "./problem-content.ts";
import { renderPlain, sendPage } from "./send-page.ts";

/** Whatever goes wrong below a face is a page that says what happened and what to do. */
export function answerWithPages<Session extends BaseSession, Permission extends string>(
  child: FastifyInstance,
  options: FaceOptions<Session, Permission>,
): void {
  const deps = { baseUrl: () => "", translate: options.translate ?? (() => undefined) };
  child.setErrorHandler(async (error, request, reply) => {
    const detour = await findDetour(options, error, request, reply);
    if (detour && "redirect" in detour) return reply.redirect(detour.redirect, 303);
    if (detour) return sendPage(options, request, reply.code(detour.status), detour.page);
    const problem = toProblem(deps, error);
    logProblem(problem, request);
    return sendProblemPage(options, problem, request, reply);
  });
  // Nobody learns which paths there are without signing in: an unknown one is answered like a known one.
  child.all(`${options.base}/*`, async (request, reply) => {
    if (request.method === "GET" && !sessionOf(request)) return sendToSignIn(options, request, reply);
    throw notFound();
  });
}

async function findDetour<Session extends BaseSession, Permission extends string>(
  options: FaceOptions<Session, Permission>,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Detour | undefined> {
  const { method } = request;
  const sent = { method, path: pathOf(request), form: bodyOf(request), will: willOf(request) };
  try {
    return await options.detour?.(error, contextOf(options, request, reply), sent);
  } catch {
    // The page that the detour leads to needs the database too. The first error is the one to tell.
    return undefined;
  }
}

export async function sendProblemPage<Session extends BaseSession, Permission extends string>(
  options: FaceOptions<Session, Permission>,
  problem: Problem,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply
    .code(problem.status)
    .headers(PAGE_HEADERS)
    .headers(problem.options.headers ?? {});
  const content = problemContent(problem, request.id, {
    home: options.base || "/",
    signInPath: options.signInPath,
    helper: options.helper,
  });
  // What is left of a body that is refused, such as a large file, is not read to its end.
  if (isUnread(request))
    return sendUnread(request, reply, Buffer.from(renderPlain(options, request, reply, content)));
  try {
    return await sendPage(options, request, reply, content);
  } catch {
    // The frame reads from the database too, and that may be what is away.
    return sendPage(options, request, reply, content, true);
  }
}
