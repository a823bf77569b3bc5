import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import type { TestRunOptions } from "./run-tests.ts";

const RUN_TIMEOUT_MS = 60_000;
const FAR_LIMIT_MS = 50_000;
/** Long enough for a process to start on a busy machine: with 28 waiting for two cores it takes five seconds. */
const SHORT_LIMIT_MS = 10_000;
const LINGER_MS = 300;

const FILES = {
  "fine.test.mjs": `
import { after, test } from "node:test";
after(() => console.log("after fine"));
test("is fine", () => {});`,
  "well.test.mjs": `
import { test } from "node:test";
test("is well", () => {});`,
  "hanging.test.mjs": `
import { spawn } from "node:child_process";
import { test } from "node:test";
test("never ends", () => new Promise(() => {
  spawn("sleep", ["600"], { stdio: ["ignore", "inherit", "ignore"] });
}));`,
  "stray.test.mjs": `
import { test } from "node:test";
test("leaves an error behind", () => new Promise((resolve) => {
  setTimeout(() => {
    setImmediate(resolve);
    throw new Error("nobody caught this");
  });
}));`,
  // Its server would keep the process alive, and the other process its output.
  "lingering.test.mjs": `
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { test } from "node:test";
test("leaves a server open", () => {
  createServer().listen(0, "127.0.0.1");
  spawn("sleep", ["600"], { stdio: ["ignore", "inherit", "ignore"] });
});`,
};

let root: string;
before(() => {
  root = mkdtempSync(join(tmpdir(), "scrip-run-tests-"));
  for (const [name, source] of Object.entries(FILES)) writeFileSync(join(root, name), source);
});
after(() => rmSync(root, { recursive: true, force: true }));

test("the report has the slowest files, then the runner's own counts as its end", async () => {
  const { printed, passed } = await run([["fine.test.mjs", "well.test.mjs"]], FAR_LIMIT_MS, [
    "checked: passed",
  ]);
  assert.equal(passed, true);
  const plain = printed.replaceAll(/ +[\d.]+ s {2}/g, " ").replaceAll(/ \([\d.]+ms\)/g, "");
  const [own, counts] = plain.split("ℹ tests 2\n");
  assert.match(own ?? "", /▶ fine\.test\.mjs\n {2}✔ is fine\n✔ fine\.test\.mjs\n▶ well\.test\.mjs/);
  assert.match(
    own ?? "",
    /ℹ checked: passed\nℹ the 10 slowest files\nℹ (fine|well)\.test\.mjs\nℹ (fine|well)\.test\.mjs\n(?:ℹ \d+ s of CPU, .*\n(?:ℹ (?:to load fine\.test\.mjs and 1 more|fine\.test\.mjs|well\.test\.mjs)\n){3})?$/,
  );
  assert.match(counts ?? "", /^ℹ suites 2\nℹ pass 2\nℹ fail 0\n.*\nℹ duration_ms [\d.]+\n$/s);
});

test("a run that does not end is ended at its limit, which names the file and the test", async () => {
  const { printed, passed } = await run([["hanging.test.mjs"], ["fine.test.mjs"]], SHORT_LIMIT_MS);
  assert.equal(passed, false);
  assert.match(
    printed,
    /the tests did not end within 10 s\. Still running:\n {2}hanging\.test\.mjs\n {2}hanging\.test\.mjs › never ends\n\n/,
  );
  assert.match(printed, /✔ is fine/);
  assert.match(printed, /ℹ cancelled 1\n/);
});

test("an error that nobody caught fails its file, and is printed", async () => {
  const { printed, passed } = await run(
    [["stray.test.mjs", "well.test.mjs"], ["fine.test.mjs"]],
    FAR_LIMIT_MS,
  );
  assert.equal(passed, false);
  assert.match(printed, /nobody caught this/);
  assert.match(printed, /✔ is fine/);
});

test("a file that leaves something open when its tests are done fails, and the others go on", async () => {
  const { printed, passed } = await run([["lingering.test.mjs"], ["fine.test.mjs"]], FAR_LIMIT_MS);
  assert.equal(passed, false);
  assert.match(
    printed,
    /lingering\.test\.mjs: the tests are done and the process did not end within 300 ms; open: .*TCPServerWrap/,
  );
  assert.match(printed, /✖ .*lingering\.test\.mjs/);
  assert.match(printed, /✔ is fine/);
});

/** In a process of its own: the runner does not run below itself. */
async function run(groups: string[][], limitMs: number, lines: string[] = []) {
  const options: Omit<TestRunOptions, "out" | "beforeCounts"> = {
    root,
    runs: groups.map((files) => ({ files, seconds: 1 })),
    concurrency: 2,
    testTimeoutMs: FAR_LIMIT_MS,
    limitMs,
  };
  const script = `
    const { runTests } = await import(${JSON.stringify(new URL("./run-tests.ts", import.meta.url).href)});
    const beforeCounts = async () => ${JSON.stringify(lines)};
    const passed = await runTests({ ...${JSON.stringify(options)}, out: process.stdout, beforeCounts });
    process.exit(passed ? 0 : 1);`;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const path = join(root, "run.mjs");
  writeFileSync(path, script);
  const child = spawn(process.execPath, [path], {
    env: { ...env, SCRIP_TEST_LINGER_MS: String(LINGER_MS) },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: RUN_TIMEOUT_MS,
  });
  const [[code], printed] = await Promise.all([once(child, "exit"), text(child.stdout)]);
  return { printed, passed: code === 0 };
}
