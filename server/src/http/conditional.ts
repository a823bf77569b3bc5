import type { FastifyReply, FastifyRequest } from "fastify";

/** Sends a rendered JSON body with its strong ETag, or 304 when the caller has it already. */
export function sendConditionally(
  request: FastifyRequest,
  reply: FastifyReply,
  rendered: { body: Buffer; etag: string },
): FastifyReply {
  reply.header("etag", rendered.etag);
  // The reply belongs to one key, and must be asked for again each time; the ETag makes that cheap.
  reply.header("cache-control", "private, no-cache");
  reply.header("vary", "X-API-Key, Authorization");
  if (matchesEtag(request.headers["if-none-match"], rendered.etag)) return reply.code(304).send();
  return reply.type("application/json; charset=utf-8").send(rendered.body);
}

/** If-None-Match holds `*` or a list; it compares weakly, so a `W/` before a tag does not matter (RFC 9110, 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
