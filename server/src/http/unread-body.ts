import type { FastifyReply, FastifyRequest } from "fastify";
import { lingeringEnd } from "./lingering-end.ts";
import { BODY_MAX_BYTES } from "./read-body.ts";

/** Whether a part of the body has not come yet. */
export const isUnread = ({ raw }: FastifyRequest): boolean =>
  raw.complete === false && promisedBytes(raw.headers) > 0;

/**
 * Makes an answer that comes before the request's body the last one of its connection. Otherwise the body would have to
 * be read to its end, however large it is and however slowly it comes, to find the next request behind it. A body that
 * came together with its head is seen a moment later, and then the connection stays.
 */
export function sendUnread(request: FastifyRequest, reply: FastifyReply, body: Buffer): FastifyReply {
  setImmediate(() => {
    if (isUnread(request)) closeAfter(request.raw, reply);
    reply.send(body);
  });
  return reply;
}

/** For a request whose body nobody will read: what is larger than any body that is taken is not read past either. */
export function closeIfTooLarge({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (promisedBytes(raw.headers) > BODY_MAX_BYTES) closeAfter(raw, reply);
}

function closeAfter({ socket }: FastifyRequest["raw"], reply: FastifyReply): void {
  reply.header("connection", "close");
  // Node calls it when the last answer has been written. Its own would reset the connection under the answer.
  socket.destroySoon = () => lingeringEnd(socket);
}

function promisedBytes(headers: FastifyRequest["raw"]["headers"]): number {
  if (headers["transfer-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
  const length = headers["content-length"];
  return length === undefined ? 0 : Number(length);
}
