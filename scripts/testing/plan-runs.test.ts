import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { planRuns } from "./plan-runs.ts";

const named = (...files: string[]) => files.map((file) => ({ file, text: "" }));

test("slow files come first, the slowest before all, each in a process of its own", () => {
  const runs = planRuns(named("a.test.ts", "slow.test.ts", "slowest.test.ts", "b.test.ts"), {
    "slow.test.ts": 20,
    "slowest.test.ts": 60,
  });
  assert.deepEqual(
    runs.map(({ files }) => files),
    [["slowest.test.ts"], ["slow.test.ts"], ["a.test.ts", "b.test.ts"]],
  );
});

test("the others share a process, in groups that take about equally long, and each is in one of them", () => {
  const files = Array.from({ length: 100 }, (_, index) => `f${String(index).padStart(2, "0")}.test.ts`);
  const runs = planRuns(named(...files), { "f00.test.ts": 9, "f01.test.ts": 9, "f02.test.ts": 2 });
  assert.deepEqual(
    runs.map((run) => [run.files.length, run.seconds]),
    [
      [22, 39],
      [39, 39],
      [39, 39],
    ],
  );
  assert.deepEqual(
    runs.flatMap((run) => run.files),
    files,
  );
});

test("a file that changes what its process shares has one of its own, and one that only reads it does not", () => {
  const texts = [
    'mock.module("node:dns", {});',
    't.mock.timers.enable({ apis: ["setTimeout"] });',
    'process.env.TMPDIR = "/x";',
    'process.chdir("/");',
    'process.once("exit", () => {});',
  ];
  const sources = texts.map((text, index) => ({ file: `changes-${index}.test.ts`, text }));
  const reads = {
    file: "reads.test.ts",
    text: 'if (process.env.WRITE_DOCS === "1") t.mock.method(console, "log"); called.mock.restore();',
  };
  const runs = planRuns([...sources, ...named("a.test.ts", "b.test.ts"), reads], {});
  assert.deepEqual(
    runs.filter(({ files }) => files.length > 1).map(({ files }) => files),
    [["a.test.ts", "b.test.ts", "reads.test.ts"]],
  );
});

test("every file in the tables of slow files and of those that only --wide runs is there", () => {
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
  for (const file of [...Object.keys(read("./slow-files.json")), ...read("./wide-files.json")])
    assert.ok(existsSync(new URL(`../../${file}`, import.meta.url)), file);
});
