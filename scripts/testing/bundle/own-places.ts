import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

/** Packages in CommonJS that are too large to bundle. An import of them runs when its module does, as in the sources. */
const LAZY = /^(esbuild|playwright-core|stripe)$/;

/**
 * Modules of Node, but for its test runner, which asks who imports it. To import `node:http` reads all of its exports, which
 * loads an HTTP client that few processes use and costs as much as all else in a small process.
 */
const BUILT_IN = /^node:/;
const TEST_RUNNER = "node:test";

/** A script next to the module that starts it. */
const NEIGHBOUR = /new URL\("(\.\/[^"]+\.ts)", import\.meta\.url\)/g;

/**
 * Each module goes on to find its files: migrations, pages and scripts are next to the source, and not next to the bundle. The
 * build replaces `import.meta` by `__place`. A process that a module starts from a script that is bundled too runs the bundle.
 */
export const ownPlaces = (root: string, scripts: readonly string[]): Plugin => ({
  name: "own-places",
  setup(build) {
    build.onResolve({ filter: LAZY }, ({ path }) => ({ path, namespace: "lazy" }));
    build.onLoad({ filter: /./, namespace: "lazy" }, ({ path }) => ({
      contents: `module.exports = __fromPackage(${JSON.stringify(path)});`,
      loader: "js",
    }));
    build.onResolve({ filter: BUILT_IN }, ({ path }) =>
      path === TEST_RUNNER ? undefined : { path, namespace: "built-in" },
    );
    build.onLoad({ filter: /./, namespace: "built-in" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: "js",
    }));
    build.onLoad({ filter: /\.(ts|js|mjs|cjs)$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const linked = text.replaceAll(NEIGHBOUR, (found, name: string) => {
        const script = relative(root, resolve(dirname(path), name));
        return scripts.includes(script) ? `__bundled(${JSON.stringify(bundleOf(script))})` : found;
      });
      return { contents: `${placeOf(path, text)}${linked}`, loader: path.endsWith(".ts") ? "ts" : "js" };
    });
  },
});

const bundleOf = (script: string): string => script.replace(/\.ts$/, ".mjs");

/** On the first line, so that all others keep their numbers. */
function placeOf(path: string, text: string): string {
  const [folder, file] = [JSON.stringify(dirname(path)), JSON.stringify(path)];
  if (text.startsWith("#!")) return "";
  if (text.includes("import.meta"))
    return `const __place = { url: ${JSON.stringify(pathToFileURL(path).href)}, dirname: ${folder}, filename: ${file}, resolve: __resolve };`;
  if (/\b__(dirname|filename)\b/.test(text)) return `var __dirname = ${folder}, __filename = ${file};`;
  return "";
}
