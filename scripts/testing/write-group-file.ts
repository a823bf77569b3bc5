import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { PRELOAD } from "./preload.ts";

const FOLDER = "node_modules/.cache/scrip-test-groups";
const NAME_CHARACTERS = 12;

/**
 * A file that runs others in one process, one after the other, each as a suite with its name and its own hooks. They are
 * loaded first, one after the other too: a file may open a database while it loads, and would not be answered in time
 * while others load. With a bundle, they come from there.
 */
export function writeGroupFile(root: string, files: readonly string[], bundle?: string): string {
  const suites = files.map((file) => {
    const path = resolve(root, file);
    const source = bundle === undefined ? pathToFileURL(path).href : file;
    return `suite(${JSON.stringify(file)}, () => load(${JSON.stringify(source)}, ${JSON.stringify(path)}));`;
  });
  const text = `import { AsyncResource } from "node:async_hooks";
import { flushCompileCache } from "node:module";
import { after, suite } from "node:test";
import { leaveCost } from ${JSON.stringify(pathToFileURL(PRELOAD).href)};
import { stopFollowing } from ${JSON.stringify(new URL("./follow-tests.ts", import.meta.url).href)};
${bundle === undefined ? "const open = (url) => import(url);" : `import { load as bundled } from ${JSON.stringify(pathToFileURL(bundle).href)};\nconst open = (file) => bundled[file]();`}
let waiting = ${files.length};
let before = Promise.resolve();
const all = Promise.withResolvers();
async function load(source, path) {
  // Where its tests belong is known by what started its loading, which must not be the file before it.
  const own = new AsyncResource("suite");
  const loading = before.then(() => own.runInAsyncScope(async () => {
    await open(source);
    after(() => leaveCost(path));
  }));
  before = loading.catch(() => {}).then(() => {
    waiting -= 1;
    if (waiting > 0) return;
    // Node would write it at the end, and every process that starts until then would compile the same files.
    flushCompileCache();
    leaveCost(process.argv[1]);
    stopFollowing();
    all.resolve();
  });
  await loading;
  await all.promise;
}
${suites.join("\n")}
`;
  const folder = join(root, FOLDER);
  mkdirSync(folder, { recursive: true });
  const name = createHash("sha256").update(text).digest("hex").slice(0, NAME_CHARACTERS);
  const path = join(folder, `group-${name}.mjs`);
  writeFileSync(path, text);
  return path;
}
