import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** A file of the pages, under a name that changes with its bytes. */
export type Asset = {
  /** Its address: `/assets/scrip-0a1b2c3d4e.css`. */
  path: string;
  type: string;
  body: Buffer;
  etag: string;
  /** Made when a browser first asks, once. */
  compressed: (encoding: "br" | "gzip") => Promise<Buffer>;
};

export type Assets = {
  css: Asset;
  js: Asset;
  unpoly: Asset;
  /** Changes with any of them: a page with other files is loaded as a whole. */
  version: string;
};

export const ASSETS_PATH = "/assets";

/** In the order in which they apply. */
const STYLES = [
  "tokens",
  "frame",
  "top-bar",
  "parts",
  "small-parts",
  "code",
  "prose",
  "navigation",
  "table",
  "form",
  "chart",
] as const;
/** In the order in which they use each other. */
const SCRIPTS = [
  "floating-tip",
  "copy",
  "themes",
  "times",
  "picks",
  "shortcuts",
  "passkeys",
  "enhance",
  "start",
] as const;

/** Reads the style sheet, our module and Unpoly, and names each by a hash of its bytes. */
export function createAssets(): Assets {
  const unpoly = new URL("./", import.meta.resolve("unpoly"));
  const unpolyStyle = `@layer unpoly {${withoutMap(read(new URL("unpoly.min.css", unpoly)))}}`;
  const styles = STYLES.map((name) => read(new URL(`style/${name}.css`, import.meta.url)));
  const scripts = SCRIPTS.map((name) => joinable(read(new URL(`client/${name}.js`, import.meta.url))));
  const css = asset("scrip", "css", compact([...styles, unpolyStyle].join("\n")));
  const js = asset("scrip", "js", scripts.join("\n"));
  const unpolyJs = asset("unpoly", "js", withoutMap(read(new URL("unpoly.min.js", unpoly))));
  return { css, js, unpoly: unpolyJs, version: hashOf(Buffer.from(css.path + js.path + unpolyJs.path)) };
}

const read = (url: URL): string => readFileSync(url, "utf8");

/** The maps are not served. */
const withoutMap = (text: string): string => text.replace(/\/[/*]# sourceMappingURL=[^\n]*\s*$/, "");

/** Our module is written as several files that import each other; it is sent as one. */
const joinable = (source: string): string =>
  source.replaceAll(/^import .*\n/gm, "").replaceAll(/^export /gm, "");

/** Comments, line breaks and indentation are for those who write the style sheet. */
const compact = (style: string): string =>
  style
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/\s*([{};])\s*/g, "$1")
    .trim();

const TYPES = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8" } as const;
const HASH_CHARACTERS = 12;

const hashOf = (body: Buffer): string =>
  createHash("sha256").update(body).digest("base64url").slice(0, HASH_CHARACTERS);

function asset(name: string, kind: "css" | "js", text: string): Asset {
  const body = Buffer.from(text);
  const hash = hashOf(body);
  const made = new Map<string, Promise<Buffer>>();
  return {
    path: `${ASSETS_PATH}/${name}-${hash}.${kind}`,
    type: TYPES[kind],
    body,
    etag: `"${hash}"`,
    compressed(encoding) {
      const found = made.get(encoding) ?? (encoding === "br" ? toBrotli(body) : toGzip(body));
      made.set(encoding, found);
      return found;
    },
  };
}

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** One step below the most: it takes a fifth of the time and two in a hundred more bytes. */
const BROTLI_QUALITY = 10;

const toBrotli = (body: Buffer): Promise<Buffer> =>
  brotliAsync(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
const toGzip = (body: Buffer): Promise<Buffer> => gzipAsync(body, { level: 9 });
