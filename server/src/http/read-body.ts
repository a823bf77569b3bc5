import type { FastifyInstance } from "fastify";
import { Problem } from "../lib/problem.ts";
import { parseStrictJson } from "../lib/strict-json.ts";

export const BODY_MAX_BYTES = 64 * 1024;

/**
 * Accepts only JSON in UTF-8 and parses it strictly. An empty body counts as no body, because some operations have
 * an optional one.
 */
export function readBodiesStrictly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers["content-type"] ?? "")?.[1];
    if (charset !== undefined && charset.toLowerCase() !== "utf-8") {
      return done(new Problem("unsupported_media_type", "Send the body in UTF-8."));
    }
    const encoding = request.headers["content-encoding"];
    if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
      return done(new Problem("unsupported_media_type", "Send the body without content encoding."));
    }
    if (body.length === 0) return done(null, undefined);
    try {
      done(null, parseStrictJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}
