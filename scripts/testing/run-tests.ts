import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { Readable } from "node:stream";
import { run } from "node:test";
import { spec, type TestEvent } from "node:test/reporters";
import { mapPositions } from "./bundle/map-positions.ts";
import { CPU_FILE, readCpuTimes } from "./cpu-times.ts";
import { endDescendants, listDescendants } from "./end-descendants.ts";
import type { TestRun } from "./plan-runs.ts";
import { PRELOAD } from "./preload.ts";
import { type Progress, watchProgress } from "./watch-progress.ts";
import { writeGroupFile } from "./write-group-file.ts";

export type TestRunOptions = {
  root: string;
  runs: readonly TestRun[];
  concurrency: number;
  /** For one test. */
  testTimeoutMs: number;
  /** For all of them together. */
  limitMs: number;
  out: NodeJS.WritableStream;
  /** The module that has all files; without it each is loaded by itself. */
  bundle?: string;
  /** Lines to print before the closing counts. What runs beside the tests is waited for here. */
  beforeCounts: () => Promise<readonly string[]>;
};

const SLOWEST_SHOWN = 10;
/** What is told to end has this long. */
const END_WITHIN_MS = 10_000;

/**
 * Runs the tests and prints Node's own report, with the slowest files before its closing counts. Answers whether all passed.
 * It ends within the limit whatever the tests do, and then names what was still running.
 */
export async function runTests(options: TestRunOptions): Promise<boolean> {
  const { root, runs, concurrency, testTimeoutMs, out, bundle } = options;
  const folder = mkdtempSync(join(tmpdir(), "scrip-test-run-"));
  const cpuFile = join(folder, "cpu");
  const paths = runs.map(({ files: [file = "", ...more] }) =>
    more.length === 0 && bundle === undefined
      ? resolve(root, file)
      : writeGroupFile(root, [file, ...more], bundle),
  );
  const progress = watchProgress(root);
  const limit = startLimit(options, progress);
  const events: AsyncIterable<TestEvent> = run({
    files: paths,
    cwd: root,
    env: { ...process.env, [CPU_FILE]: cpuFile },
    concurrency,
    timeout: testTimeoutMs,
    signal: limit.signal,
    execArgv: ["--import", PRELOAD],
  });
  let passed = false;
  async function* observed() {
    for await (const event of events) {
      progress.note(event);
      if (event.type === "test:summary" && event.data.file === undefined) passed = event.data.success;
      if (isFirstCount(event)) {
        for (const line of await options.beforeCounts()) yield diagnostic(line);
        yield diagnostic(`the ${SLOWEST_SHOWN} slowest files`);
        for (const line of progress.describeSlowest(SLOWEST_SHOWN)) yield diagnostic(line);
        for (const line of describeCpu(cpuFile, options, paths)) yield diagnostic(line);
      }
      yield event;
    }
  }
  for await (const text of Readable.from(observed()).compose(spec)) out.write(mapPositions(String(text)));
  limit.clear();
  rmSync(folder, { recursive: true, force: true });
  return passed && !limit.signal.aborted;
}

/** CPU time tells on a busy machine what wall time does not: which files are worth making cheaper. */
function describeCpu(file: string, { root, runs }: TestRunOptions, paths: readonly string[]): string[] {
  const times = readCpuTimes(file);
  if (times.length === 0) return [];
  const total = times.reduce((sum, { seconds }) => sum + seconds, 0);
  const labelOf = (path: string): string => {
    const [file, ...more] = runs[paths.indexOf(path)]?.files ?? [];
    if (file === undefined || path === resolve(root, file)) return relative(root, path);
    return more.length > 0 ? `to load ${file} and ${more.length} more` : `to load ${file}`;
  };
  return [
    `${Math.round(total)} s of CPU, without the shared PostgreSQL and browser; the ${SLOWEST_SHOWN} files that used most`,
    ...times
      .slice(0, SLOWEST_SHOWN)
      .map(({ path, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${labelOf(path)}`),
  ];
}

/** The run can hang in ways that no test's timeout ends: a process that stays, or one whose output somebody holds open. */
function startLimit({ limitMs, out }: TestRunOptions, progress: Progress) {
  const stop = new AbortController();
  // Those that served the tests before they began go on to do so until the end.
  const others = new Set(listDescendants());
  const timer = setTimeout(() => {
    const running = progress.describeRunning().map((line) => `  ${line}\n`);
    out.write(`\nthe tests did not end within ${limitMs / 1_000} s. Still running:\n${running.join("")}\n`);
    endDescendants(others);
    stop.abort();
    setTimeout(() => process.exit(1), END_WITHIN_MS).unref();
  }, limitMs);
  return { signal: stop.signal, clear: () => clearTimeout(timer) };
}

/** "tests 2258" and those after it are about the whole run, and belong to no file. */
const isFirstCount = ({ type, data }: TestEvent): boolean =>
  type === "test:diagnostic" &&
  data.nesting === 0 &&
  data.file === undefined &&
  /^tests \d+$/.test(data.message);

const diagnostic = (message: string): TestEvent => ({
  type: "test:diagnostic",
  data: { nesting: 0, message, level: "info" },
});
