import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { acceptedEncoding } from "../assets/serve-assets.ts";

const PAGE_TYPE = "text/html; charset=utf-8";
/** Below this, packing saves no packet of the network. */
const COMPRESS_FROM_CHARACTERS = 1_400;
/** Pages are made for one request each: more effort would cost more time than it saves. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 5;

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** Sends a page, packed where the browser takes it. Form tokens are masked, so their length gives nothing away. */
export async function sendMarkup(
  request: FastifyRequest,
  reply: FastifyReply,
  markup: string,
): Promise<FastifyReply> {
  const encoding = acceptedEncoding(request.headers["accept-encoding"]);
  reply.type(PAGE_TYPE).header("vary", "accept-encoding");
  if (encoding === undefined || markup.length < COMPRESS_FROM_CHARACTERS) return reply.send(markup);
  const bytes = Buffer.from(markup);
  const packed =
    encoding === "br"
      ? await brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
      : await gzipAsync(bytes, { level: GZIP_LEVEL });
  return reply.header("content-encoding", encoding).send(packed);
}
