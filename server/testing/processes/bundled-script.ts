import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * How the test run tells its processes where the bundles of their scripts are; see scripts/testing/bundle. `off` in the environment
 * of the run makes none.
 */
export const BUNDLES = "SCRIP_TEST_BUNDLES";

/** The scripts that `forkNode` starts, the command, and the processes that the command starts. */
export const SCRIPTS = [
  "server/src/bin/machine/machine-process.ts",
  "server/src/bin/scrip.ts",
  "server/testing/processes/job-process.ts",
  "server/testing/processes/node-process.ts",
  "server/testing/processes/scrip-host.ts",
  "server/testing/processes/worker-process.ts",
] as const;
export type Script = (typeof SCRIPTS)[number];

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The path to start: the bundle if this run made one, else the source. */
export function bundledScript(script: Script): { path: string; isBundled: boolean } {
  const folder = process.env[BUNDLES];
  const source = join(root, script);
  if (folder === undefined) return { path: source, isBundled: false };
  const path = join(folder, script.replace(/\.ts$/, ".mjs"));
  return existsSync(path) ? { path, isBundled: true } : { path: source, isBundled: false };
}
