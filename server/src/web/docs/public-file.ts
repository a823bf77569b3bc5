import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { matchesEtag } from "../../http/conditional.ts";

/** A file that is the same for everyone, with an ETag of its bytes. */
export type PublicFile = { body: Buffer; type: string; maxAgeSeconds: number; etag: string };

export const publicFile = (body: Buffer, type: string, maxAgeSeconds: number): PublicFile => ({
  body,
  type,
  maxAgeSeconds,
  etag: `"${createHash("sha256").update(body).digest("base64url")}"`,
});

/** Sends the file, or 304 if the caller already has it. */
export function sendPublicFile(request: FastifyRequest, reply: FastifyReply, file: PublicFile): FastifyReply {
  reply.header("etag", file.etag).header("cache-control", `public, max-age=${file.maxAgeSeconds}`);
  if (matchesEtag(request.headers["if-none-match"], file.etag)) return reply.code(304).send();
  return reply.type(file.type).send(file.body);
}
