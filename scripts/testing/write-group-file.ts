import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const FOLDER = "node_modules/.cache/scrip-test-groups";
const NAME_CHARACTERS = 12;

/** A file that runs others in one process, one after the other, each as a suite with its name and its own hooks. */
export function writeGroupFile(root: string, files: readonly string[]): string {
  const suites = files.map((file) => {
    const url = pathToFileURL(resolve(root, file)).href;
    return `suite(${JSON.stringify(file)}, async () => {
  await import(${JSON.stringify(url)});
});`;
  });
  const text = `import { suite } from "node:test";
${suites.join("\n")}
`;
  const folder = join(root, FOLDER);
  mkdirSync(folder, { recursive: true });
  const name = createHash("sha256").update(text).digest("hex").slice(0, NAME_CHARACTERS);
  const path = join(folder, `group-${name}.mjs`);
  writeFileSync(path, text);
  return path;
}
