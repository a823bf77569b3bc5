import type { FastifyInstance } from "fastify";
import { notFound, Problem } from "../../lib/problem.ts";
import { PAGE_HEADERS } from "../security/page-headers.ts";
import { isSameOrigin, pageOrigin } from "../security/same-origin.ts";
import type { BaseSession } from "./define-page.ts";
import type { FaceOptions } from "./face.ts";
import { keepSession, readSessionCookie } from "./page-state.ts";

/** Before anything of a request is read: the headers of every answer, where a change comes from, and who is asking. */
export function guardFace<Session extends BaseSession, Permission extends string>(
  child: FastifyInstance,
  options: FaceOptions<Session, Permission>,
): void {
  child.addHook("onRequest", async (request, reply) => {
    reply.headers(PAGE_HEADERS);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead && !isSameOrigin(request.headers, pageOrigin(options.publicUrl(), request.headers.host)))
      throw new Problem("forbidden", "This form was not sent from a page of ours.");
    keepSession(request, await options.authenticate(readSessionCookie(options, request), request));
    if (hasNul(request.params)) throw notFound();
  });
}

/** Nothing has such an id, and PostgreSQL takes none. */
const hasNul = (params: unknown): boolean =>
  Object.values(params as Record<string, string>).some((value) => value.includes("\0"));
