import type { FastifyReply, FastifyRequest } from "fastify";
import { lingeringEnd } from "./lingering-end.ts";
import { BODY_MAX_BYTES } from "./read-body.ts";

/** Whether part of the body has not arrived yet. */
export const isUnread = ({ raw }: FastifyRequest): boolean =>
  raw.complete === false && promisedBytes(raw.headers) > 0;

/**
 * Closes the connection after a response that precedes the request's body. Otherwise the whole body, however large
 * or slow, would have to be read to find the next request. A body that arrives together with its head is detected a
 * moment later, and the connection stays open.
 */
export function sendUnread(request: FastifyRequest, reply: FastifyReply, body: Buffer): FastifyReply {
  setImmediate(() => {
    if (isUnread(request)) closeAfter(request.raw, reply);
    reply.send(body);
  });
  return reply;
}

/** For a request whose body is ignored: a body above the limit is not read past either. */
export function closeIfTooLarge({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (promisedBytes(raw.headers) > BODY_MAX_BYTES) closeAfter(raw, reply);
}

function closeAfter({ socket }: FastifyRequest["raw"], reply: FastifyReply): void {
  reply.header("connection", "close");
  // Node.js calls this after the last response. Its own version would reset the connection before the caller reads
  // it.
  socket.destroySoon = () => lingeringEnd(socket);
}

function promisedBytes(headers: FastifyRequest["raw"]["headers"]): number {
  if (headers["transfer-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
  const length = headers["content-length"];
  return length === undefined ? 0 : Number(length);
}
