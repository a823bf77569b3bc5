import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const FOLDER = "node_modules/.cache/scrip-test-groups";
const NAME_CHARACTERS = 12;
const IDS = new URL("../../server/src/lib/ids.ts", import.meta.url).href;

/**
 * A file that runs others in one process, one after the other, each as a suite with its name, whose hooks are its own. What
 * the process remembers of time is forgotten in between: the ids of a file that sets its clock ahead would lie in the future.
 */
export function writeGroupFile(root: string, files: readonly string[]): string {
  const suites = files.map((file) => {
    const url = pathToFileURL(resolve(root, file)).href;
    return `suite(${JSON.stringify(file)}, async () => {
  before(forgetLastId);
  await import(${JSON.stringify(url)});
});`;
  });
  const text = `import { before, suite } from "node:test";
import { forgetLastId } from ${JSON.stringify(IDS)};
${suites.join("\n")}
`;
  const folder = join(root, FOLDER);
  mkdirSync(folder, { recursive: true });
  const name = createHash("sha256").update(text).digest("hex").slice(0, NAME_CHARACTERS);
  const path = join(folder, `group-${name}.mjs`);
  writeFileSync(path, text);
  return path;
}
