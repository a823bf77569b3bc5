import type { FastifyReply, FastifyRequest } from "fastify";
import { frameName } from "../layout/document.ts";
import type { PageContent } from "../layout/frame.ts";
import { framedPage } from "../layout/framed-page.ts";
import { plainPage } from "../layout/plain-page.ts";
import { renderHtml } from "../template/html.ts";
import type { BaseSession } from "./define-page.ts";
import type { FaceOptions } from "./face.ts";
import { contextOf, sessionOf, settingOf } from "./page-state.ts";
import { sendMarkup } from "./send-markup.ts";

/** Sends a page in the face's frame, or in the plain one. It is always a whole page; Unpoly takes from it what it needs. */
export async function sendPage<Session extends BaseSession, Permission extends string>(
  options: FaceOptions<Session, Permission>,
  request: FastifyRequest,
  reply: FastifyReply,
  content: PageContent,
  isPlain = false,
): Promise<FastifyReply> {
  const session = sessionOf<Session>(request);
  if (isPlain || session === undefined)
    return sendMarkup(request, reply, renderPlain(options, request, reply, content));
  const frame = await options.frame(session, contextOf(options, request, reply));
  const page = framedPage(frame, settingOf(options, request, reply), content);
  reply.header("x-scrip-frame", frameName("framed", options.assets));
  return sendMarkup(request, reply, renderHtml(page));
}

/** A page for which nothing has to be read, with its headers set. */
export function renderPlain<Session extends BaseSession, Permission extends string>(
  options: FaceOptions<Session, Permission>,
  request: FastifyRequest,
  reply: FastifyReply,
  content: PageContent,
): string {
  reply.header("x-scrip-frame", frameName("plain", options.assets)).type("text/html; charset=utf-8");
  return renderHtml(plainPage(settingOf(options, request, reply), content, options.base || "/"));
}
