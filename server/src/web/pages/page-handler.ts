import type { FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../../lib/problem.ts";
import { href } from "../template/safe-url.ts";
import type { BaseSession, ReadPage } from "./define-page.ts";
import type { FaceOptions } from "./face.ts";
import { contextOf, sessionOf } from "./page-state.ts";
import { sendPage } from "./send-page.ts";

/** The permission of pages that ask for no session. */
export const PUBLIC = "public";

/** Session, permission, verb, page. Without a session a person is sent to sign in and back again. */
export const pageHandler =
  <Session extends BaseSession, Permission extends string, Data>(
    options: FaceOptions<Session, Permission>,
    page: ReadPage<Session, Permission, Data>,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const isPublic = page.permission === PUBLIC;
    if (!isPublic && !sessionOf(request)) return sendToSignIn(options, request, reply);
    const ctx = contextOf(options, request, reply);
    if (!isPublic) assertMay(options, ctx, page.permission);
    return sendPage(options, request, reply, page.render(await page.load(ctx), ctx), isPublic);
  };

export function sendToSignIn<Session extends BaseSession, Permission extends string>(
  { signInPath }: FaceOptions<Session, Permission>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  return reply.redirect(href(signInPath, { back: request.url }), 303);
}

/** A role without the permission is refused with 403. An object that must stay hidden is 404, by its verb. */
export function assertMay<Session extends BaseSession, Permission extends string>(
  options: FaceOptions<Session, Permission>,
  ctx: Parameters<FaceOptions<Session, Permission>["may"]>[2],
  permission: Permission,
): void {
  if (!options.may(ctx.session, permission, ctx))
    throw new Problem("forbidden", "Your role does not allow this.");
}
