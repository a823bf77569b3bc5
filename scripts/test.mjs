// `npm test`: every test, in parallel with lint, format and types. The test runner's counts come last.
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensureRuntimes } from "../sdk/test/runtimes.ts";
import { holdTestServer } from "../server/testing/database/test-server.ts";
import { FULL, TEST_SIZE, WIDE } from "../server/testing/full-size.ts";
import { BUNDLES, SCRIPTS } from "../server/testing/processes/bundled-script.ts";
import { COMPILE_CACHE } from "../server/testing/processes/compile-cache.ts";
import { readFamilySeconds } from "./testing/cpu-times.ts";
import { endDescendants } from "./testing/end-descendants.ts";
import { ensureBrowser, thisMachine } from "./testing/ensure-browser.ts";
import { makeMemoryFolder, removeMemoryFolder } from "./testing/memory-folder.ts";
import { planRuns } from "./testing/plan-runs.ts";
import { runTests } from "./testing/run-tests.ts";
import { startCheck } from "./testing/start-check.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const TEST_TIMEOUT_MS = 300_000;
const RUN_LIMIT_MS = (process.env[TEST_SIZE] === FULL ? 120 : 20) * 60_000;
/** What comes before and after the tests has this long beyond their limit. */
const AROUND_TESTS_MS = 5 * 60_000;
const BUNDLED_FROM_FILES = 40;
const TEST_FOLDERS = [
  "bench",
  "sdk/src",
  "sdk/test",
  "server/src",
  "server/testing",
  "chaos",
  "deploy",
  "ha",
  "mutate",
  "scripts",
];

const HELP = `usage: npm test -- [--wide] [FILE or FOLDER...]

  npm test                         most tests, with a share of what gains only from repetition
  npm test -- server/src/lib       every test of a folder or a file
  npm test -- --wide               every test, with more pages, roles and starts: what CI runs

  npm run chaos, fuzz and soak run the same tests at full size.`;

const { wide, help, chosen } = readOptions();
if (help) {
  console.log(HELP);
  process.exit(0);
}
const isWhole = chosen.length === 0;
if (wide || !isWhole) process.env[TEST_SIZE] ??= WIDE;
const leftOut = new Set(isWhole && !wide ? readJson("scripts/testing/wide-files.json") : []);
const sources = (isWhole ? TEST_FOLDERS : chosen)
  .flatMap(testFiles)
  .filter((file) => !leftOut.has(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
const runs = planRuns(sources, readJson("scripts/testing/slow-files.json"));
const needsBrowser = sources.some(({ text }) => text.includes("testing/browser/open-browser.ts"));
try {
  if (needsBrowser) ensureBrowser(thisMachine);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

setTimeout(endTooLate, RUN_LIMIT_MS + AROUND_TESTS_MS).unref();
Object.assign(process.env, COMPILE_CACHE);
// The compiler and the bundler are written in Go, and spend a quarter of their CPU on memory that they need no longer.
process.env.GOGC ??= "400";
const checks = isWhole ? startChecks() : [];
if (isWhole) keepFilesInMemory();
// Downloaded while others work. A test that needs them waits for it, and tells why it failed.
if (wide && sources.some(({ text }) => text.includes("ensureRuntimes"))) ensureRuntimes().catch(() => {});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, endWithTests);
// Held for the whole run, so that PostgreSQL and the browser do not start again for each test file.
const [server, bundles, browser] = await Promise.all([
  holdTestServer(),
  sources.length >= BUNDLED_FROM_FILES && process.env[BUNDLES] !== "off" ? bundle() : undefined,
  needsBrowser
    ? import("../server/testing/browser/open-browser.ts").then(({ holdBrowser }) => holdBrowser())
    : undefined,
]);
Object.assign(process.env, server.env, browser?.env);
if (bundles !== undefined) process.env[BUNDLES] = bundles.folder;
const passed = await runTests({
  root,
  runs,
  // One more than there are cores, because some tests mostly wait. With two more the same tests took 15 % more CPU.
  concurrency: availableParallelism() + 1,
  testTimeoutMs: TEST_TIMEOUT_MS,
  limitMs: RUN_LIMIT_MS,
  out: process.stdout,
  ...(bundles === undefined ? {} : { bundle: bundles.tests }),
  beforeCounts: async () => [
    ...(await Promise.all(checks)).map(
      ({ title, passed: isFine }) => `${title}: ${isFine ? "passed" : "FAILED"}`,
    ),
    `the shared PostgreSQL: ${Math.round(readFamilySeconds(server.postmasterPid))} s of CPU`,
    ...(browser === undefined
      ? []
      : [`the shared browser: ${Math.round(readFamilySeconds(browser.pid))} s of CPU`]),
  ],
});
await Promise.all([server.close(), browser?.close()]);
const checksPassed = (await Promise.all(checks)).every((check) => check.passed);
process.exit(passed && checksPassed ? 0 : 1);

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { wide: { type: "boolean" }, help: { type: "boolean" } },
    });
    return { ...values, chosen: positionals };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    process.exit(2);
  }
}

/** To bundle takes several seconds of CPU. Many processes save more than that, and a few files are better run as they are. */
async function bundle() {
  const { writeBundles } = await import("./testing/bundle/write-bundles.ts");
  const tests = runs.flatMap(({ files }) => files);
  return writeBundles(root, { scripts: SCRIPTS, tests });
}

/** Single tests keep what they prepared, such as the database server, for the next ones. */
function keepFilesInMemory() {
  const folder = makeMemoryFolder();
  if (folder === undefined) return;
  process.env.TMPDIR = folder;
  process.once("exit", () => removeMemoryFolder(folder));
}

function startChecks() {
  console.log("> lint, format and types run in parallel");
  return [
    startCheck(root, "lint and format", [
      "node_modules/@biomejs/biome/bin/biome",
      "ci",
      "--error-on-warnings",
      ".",
    ]),
    // One checker takes longer and less CPU than several, and the tests take longer still.
    startCheck(root, "types", ["node_modules/typescript/bin/tsc", "-p", ".", "--checkers", "1"]),
  ].map(async (started) => {
    const check = await started;
    if (!check.passed) console.log(`> ${check.title} failed\n${check.output}`);
    return check;
  });
}

/** The tests have a limit of their own, which names what was still running. */
function endTooLate() {
  console.error(`the run did not end within ${(RUN_LIMIT_MS + AROUND_TESTS_MS) / 60_000} minutes`);
  endWithTests();
}

/** Stopping the run stops the tests and everything they started. */
function endWithTests() {
  endDescendants();
  process.exit(1);
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

/** @param {string} path */
function testFiles(path) {
  if (!existsSync(join(root, path))) throw new Error(`${path} does not exist`);
  if (statSync(join(root, path)).isFile()) return [path];
  const files = globSync(`${path}/**/*.test.ts`, { cwd: root }).sort();
  if (files.length === 0) throw new Error(`no tests found in ${path}`);
  return files;
}
