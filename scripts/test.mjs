// `npm test`: lint and format, types, then every test; the test runner's own count comes last.
// `npm test -- server/src/lib` runs the tests below that folder, or of one file, alone.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { COMPILE_CACHE } from "../server/src/testing/compile-cache.ts";
import { openTestServer } from "../server/src/testing/test-database.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const TEST_TIMEOUT_MS = 300_000;
const TEST_FOLDERS = ["sdk/src", "sdk/test", "server/src", "chaos", "deploy"];

const chosen = process.argv.slice(2);
if (chosen.length === 0) {
  step("lint and format", ["node_modules/@biomejs/biome/bin/biome", "ci", "--error-on-warnings", "."]);
  step("types", ["node_modules/typescript/bin/tsc", "-p", "."]);
}

// Held for the whole run, so that PostgreSQL is not started anew for each test file.
const server = await openTestServer();
const status = run([
  "--test",
  // One more than can run: tests of crashes, leases and timeouts wait for a good part of their time.
  `--test-concurrency=${cpus().length + 1}`,
  `--test-timeout=${TEST_TIMEOUT_MS}`,
  ...(chosen.length === 0 ? TEST_FOLDERS : chosen).flatMap(testFiles),
]);
await server.close();
process.exit(status);

/** @param {string} title @param {string[]} args */
function step(title, args) {
  console.log(`> ${title}`);
  const code = run(args);
  if (code !== 0) process.exit(code);
}

/** @param {string[]} args */
function run(args) {
  const { status: code, error } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...COMPILE_CACHE },
  });
  if (error) throw error;
  return code ?? 1;
}

/** @param {string} path */
function testFiles(path) {
  if (!existsSync(join(root, path))) throw new Error(`there is no ${path}`);
  if (statSync(join(root, path)).isFile()) return [path];
  const files = globSync(`${path}/**/*.test.ts`, { cwd: root }).sort();
  if (files.length === 0) throw new Error(`no test was found below ${path}`);
  return files;
}
