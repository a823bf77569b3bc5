import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { endDescendants, listDescendants } from "../scripts/testing/end-descendants.ts";
import { TEST_SIZE, WIDE } from "../server/testing/full-size.ts";
import { COMPILE_CACHE } from "../server/testing/processes/compile-cache.ts";

export type TestsResult =
  | { kind: "passed" }
  /** The name of the first test that failed. */
  | { kind: "failed"; test: string }
  | { kind: "timed-out" }
  /** The tests could not run at all, which says nothing about them. */
  | { kind: "broken"; reason: string };

export type TestsRun = {
  /** The tree that has the tests. */
  root: string;
  file: string;
  env: NodeJS.ProcessEnv;
  limitMs: number;
  /** Told when the process runs, so that what it leaves behind can be found. */
  onStart: (pid: number) => void;
};

const KEPT_OUTPUT = 20_000;
const FAILED_TEST = /^\s*not ok \d+ - (.*)$/m;
/** A mutant that does not even parse would fail any test. */
const BROKEN =
  /ERR_INVALID_TYPESCRIPT_SYNTAX|ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX|SyntaxError:|syntax error at or near/;

/** Runs one file of tests and ends it at the first failure. */
export async function runTestsOf({ root, file, env, limitMs, onStart }: TestsRun): Promise<TestsResult> {
  const others = new Set(listDescendants());
  const preload = join(root, "scripts/testing/watch-test-process.ts");
  const child = spawn(
    process.execPath,
    ["--import", preload, "--test-reporter=tap", "--test-timeout", String(limitMs), join(root, file)],
    { cwd: root, env: { ...env, ...ownCache(root), [TEST_SIZE]: WIDE }, stdio: ["ignore", "pipe", "pipe"] },
  );
  if (child.pid !== undefined) onStart(child.pid);
  const result = await watch(child, limitMs);
  endDescendants(others);
  return result;
}

async function watch(child: ChildProcess, limitMs: number): Promise<TestsResult> {
  let output = "";
  let failed: string | undefined;
  let timedOut = false;
  const end = () => child.kill("SIGKILL");
  const note = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
    failed ??= FAILED_TEST.exec(output)?.[1];
    // What explains the failure follows it at once.
    if (failed !== undefined) setTimeout(end, EXPLAIN_WITHIN_MS).unref();
  };
  child.stdout?.on("data", note);
  child.stderr?.on("data", note);
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, limitMs);
  const [code] = await once(child, "close");
  clearTimeout(timer);
  const broken = BROKEN.exec(output)?.[0];
  if ((failed !== undefined || code !== 0) && broken !== undefined) return { kind: "broken", reason: broken };
  if (failed !== undefined) return { kind: "failed", test: failed };
  if (timedOut) return { kind: "timed-out" };
  return code === 0 ? { kind: "passed" } : { kind: "failed", test: `the process ended with ${code}` };
}

const EXPLAIN_WITHIN_MS = 200;

/** The copy has its own cache of compiled files. */
const ownCache = (root: string): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.keys(COMPILE_CACHE).map((name) => [name, join(root, "node_modules/.cache/scrip-tests")]),
  );
