import type { FastifyReply, FastifyRequest } from "fastify";

/** Sends a rendered JSON body with its strong ETag, or 304 if the caller already has it. */
export function sendConditionally(
  request: FastifyRequest,
  reply: FastifyReply,
  rendered: { body: Buffer; etag: string },
): FastifyReply {
  reply.header("etag", rendered.etag);
  // The response depends on the API key and must be revalidated each time. The ETag makes that cheap.
  reply.header("cache-control", "private, no-cache");
  reply.header("vary", "X-API-Key, Authorization");
  if (matchesEtag(request.headers["if-none-match"], rendered.etag)) return reply.code(304).send();
  return reply.type("application/json; charset=utf-8").send(rendered.body);
}

/** If-None-Match is `*` or a list. Comparison is weak, so a `W/` prefix is ignored (RFC 9110, 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  return header.trim() === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
