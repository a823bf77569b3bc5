import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { mapPositions } from "./map-positions.ts";
import { type Bundles, writeBundles } from "./write-bundles.ts";

type Loaded = {
  where?: string;
  folder?: string;
  beside?: string;
  starts?: string;
  ran?: string[];
  fail?: () => void;
};

const FILES = {
  "package.json": '{ "type": "module" }',
  "src/shared.ts": `export const ran: string[] = [];
`,
  "src/one.test.ts": `import { readFileSync } from "node:fs";
import { ran } from "./shared.ts";
await Promise.resolve();
ran.push("one");
export const where = import.meta.url;
export const folder = import.meta.dirname;
export const starts = new URL("./one.test.ts", import.meta.url).pathname;
export const beside = readFileSync(new URL("./beside.txt", import.meta.url), "utf8");
export { ran };
`,
  "src/two.test.ts": `import { ran } from "./shared.ts";
ran.push("two");
export { ran };
export class Refusal extends Error {}
export const fail = (): void => {
  throw new Refusal("on line six");
};
`,
  "src/beside.txt": "next to the source",
};

let root: string;
let bundles: Bundles;
let load: Record<string, () => Promise<Loaded>>;
before(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "scrip-bundles-")));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  bundles = await writeBundles(root, {
    scripts: ["src/one.test.ts"],
    tests: ["src/one.test.ts", "src/two.test.ts"],
  });
  ({ load } = await import(pathToFileURL(bundles.tests).href));
});
after(() => rmSync(root, { recursive: true, force: true }));

const open = async (file: string): Promise<Loaded> => (await load[file]?.()) ?? {};

test("a bundled module runs when it is loaded, once, and finds the files next to its source", async () => {
  const source = join(root, "src/one.test.ts");
  const one = await open("src/one.test.ts");
  assert.deepEqual(one.ran, ["one"], "the other one does not run yet");
  assert.deepEqual(
    [one.where, one.folder, one.beside],
    [pathToFileURL(source).href, dirname(source), "next to the source"],
  );
  await open("src/two.test.ts");
  await open("src/one.test.ts");
  assert.deepEqual(one.ran, ["one", "two"]);
});

test("a script has its own bundle, in its place, and is started from there", async () => {
  const script: Loaded = await import(pathToFileURL(join(bundles.folder, "src/one.test.mjs")).href);
  assert.equal(script.beside, "next to the source");
  const bundled = join(bundles.folder, "src/one.test.mjs");
  assert.deepEqual([script.starts, (await open("src/one.test.ts")).starts], [bundled, bundled]);
});

test("a place in a bundle is reported as the place in its source, and classes keep their names", async () => {
  const { fail } = await open("src/two.test.ts");
  const error = catchError(fail);
  assert.equal(error.constructor.name, "Refusal");
  assert.match(error.stack ?? "", /tests\.mjs:\d+:\d+/);
  const mapped = mapPositions(error.stack ?? "");
  assert.ok(mapped.includes(`${relative(process.cwd(), join(root, "src/two.test.ts"))}:6:9`), mapped);
});

test("the same sources give the same folder", async () => {
  const again = await writeBundles(root, {
    scripts: ["src/one.test.ts"],
    tests: ["src/one.test.ts", "src/two.test.ts"],
  });
  assert.deepEqual(again, bundles);
});

function catchError(work: (() => void) | undefined): Error {
  try {
    work?.();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("nothing was thrown");
}
