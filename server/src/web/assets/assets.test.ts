import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import Fastify from "fastify";
import { createAssets } from "./create-assets.ts";
import { acceptedEncoding, serveAssets } from "./serve-assets.ts";

const assets = createAssets();
const app = Fastify();
serveAssets(app, assets);
const files = [assets.css, assets.js, assets.unpoly];
const get = (path: string, headers: Record<string, string> = {}) => app.inject({ url: path, headers });

const STYLE_MAX_BYTES = 30 * 1024;
const SCRIPT_MAX_BYTES = 20 * 1024;
/** What is left of 120 KB is for the page itself, its icon and all headers. */
const TRANSFER_MAX_BYTES = 85 * 1024;

test("names change with the bytes, and may be kept for as long as anyone likes", async () => {
  for (const { path, body, type } of files) {
    assert.match(path, /^\/assets\/(scrip|unpoly)-[\w-]{12}\.(css|js)$/);
    const reply = await get(path);
    assert.equal(reply.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(reply.headers["content-type"], type);
    assert.equal(reply.headers["x-content-type-options"], "nosniff");
    assert.equal(reply.headers["content-encoding"], undefined);
    assert.ok(reply.rawPayload.equals(body));
  }
  assert.equal((await get("/assets/scrip-000000000000.css")).statusCode, 404);
});

test("each encoding has its own tag and unpacks to the same bytes", async () => {
  const { path, body } = assets.css;
  const tags = new Set<unknown>();
  for (const [accept, unpack] of [
    ["gzip, deflate, br", brotliDecompressSync],
    ["gzip", gunzipSync],
    ["identity", (bytes: Buffer) => bytes],
  ] as const) {
    const reply = await get(path, { "accept-encoding": accept });
    assert.ok(unpack(reply.rawPayload).equals(body), accept);
    assert.equal(reply.headers.vary, "accept-encoding");
    const again = await get(path, { "accept-encoding": accept, "if-none-match": String(reply.headers.etag) });
    assert.deepEqual([again.statusCode, again.body], [304, ""]);
    tags.add(reply.headers.etag);
  }
  assert.equal(tags.size, 3);
  assert.equal(acceptedEncoding("br;q=0, gzip;q=0.5"), "gzip");
  assert.equal(acceptedEncoding("br;q=0.000"), undefined);
  assert.equal(acceptedEncoding(undefined), undefined);
});

test("a first visit transfers little", async () => {
  assert.ok(assets.css.body.length < STYLE_MAX_BYTES, `${assets.css.body.length} bytes of style`);
  assert.ok(assets.js.body.length < SCRIPT_MAX_BYTES, `${assets.js.body.length} bytes of script`);
  const sizes = await Promise.all(files.map(async (file) => (await file.compressed("br")).length));
  const sum = sizes.reduce((total, size) => total + size, 0);
  assert.ok(sum < TRANSFER_MAX_BYTES, `${sizes.join(" + ")} bytes`);
});

test("what is sent names no map and holds no import", () => {
  for (const { body } of files) assert.equal(body.includes("sourceMappingURL"), false);
  assert.equal(/^(import|export) /m.test(assets.js.body.toString()), false);
  assert.equal(/url\(|@import/.test(assets.css.body.toString()), false);
});
