import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { matchesEtag } from "../../http/conditional.ts";
import type { Asset, Assets } from "./create-assets.ts";

/** A name that changes with the bytes may be kept for as long as anyone likes. */
const CACHE_CONTROL = "public, max-age=31536000, immutable";

/** Each file under its hashed name. An older name is 404: the page that has it loads its own again. */
export function serveAssets(app: FastifyInstance, assets: Assets): void {
  for (const asset of [assets.css, assets.js, assets.unpoly])
    app.get(asset.path, (request, reply) => sendAsset(request, reply, asset));
}

async function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): Promise<FastifyReply> {
  const encoding = acceptedEncoding(request.headers["accept-encoding"]);
  // Each encoding is a representation with its own tag (RFC 9110, 8.8.3).
  const etag = encoding === undefined ? asset.etag : asset.etag.replace(/"$/, `-${encoding}"`);
  reply
    .header("etag", etag)
    .header("cache-control", CACHE_CONTROL)
    .header("vary", "accept-encoding")
    .header("cross-origin-resource-policy", "same-origin")
    .header("x-content-type-options", "nosniff");
  if (matchesEtag(request.headers["if-none-match"], etag)) return reply.code(304).send();
  reply.type(asset.type);
  if (encoding === undefined) return reply.send(asset.body);
  return reply.header("content-encoding", encoding).send(await asset.compressed(encoding));
}

/** Brotli before gzip; `q=0` means that a browser does not want it. */
export function acceptedEncoding(header: string | undefined): "br" | "gzip" | undefined {
  const accepted = new Set(
    (header ?? "")
      .toLowerCase()
      .split(",")
      .map((part) => part.split(";").map((piece) => piece.trim()))
      .filter(([, quality]) => quality === undefined || !/^q=0(\.0{0,3})?$/.test(quality))
      .map(([name]) => name),
  );
  if (accepted.has("br")) return "br";
  return accepted.has("gzip") ? "gzip" : undefined;
}
