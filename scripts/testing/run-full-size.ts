import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FULL, type FullSizeCommand, TEST_SIZE } from "../../server/testing/full-size.ts";

const root = dirname(dirname(import.meta.dirname));

/** Runs the tests that name this command, at full size; `npm test` runs a share of them. Answers whether all passed. */
export async function runFullSize(command: FullSizeCommand): Promise<boolean> {
  const files = listFullSize(command);
  console.log(`\n> tests at full size: ${files.length} files`);
  const child = spawn(process.execPath, [join(root, "scripts/test.mjs"), ...files], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, [TEST_SIZE]: FULL },
  });
  const [code] = await once(child, "exit");
  return code === 0;
}

export const listFullSize = (command: FullSizeCommand): string[] =>
  globSync("{sdk,server,chaos}/**/*.test.ts", { cwd: root, exclude: (name) => name.includes("node_modules") })
    .filter((file) => readFileSync(join(root, file), "utf8").includes(`sizeFor("${command}"`))
    .sort();
