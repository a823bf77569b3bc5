import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { applyMutant } from "./mutant.ts";
import { AREAS } from "./mutants.ts";
import type { MutantResult } from "./mutate.ts";
import { describeResults, isEnough } from "./report.ts";

const root = dirname(import.meta.dirname);
const mutants = AREAS.flatMap((area) => area.mutants);
const read = (file: string): string => readFileSync(join(root, file), "utf8");

test("the text of every mutant occurs exactly once in its file", () => {
  for (const mutant of mutants) assert.notEqual(applyMutant(mutant, read(mutant.file)), "", mutant.name);
});

test("every mutant has its own name, a reason, and tests that exist", () => {
  assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
  for (const { name, why, tests, find, replace } of mutants) {
    assert.match(name, /^[a-z0-9]+(-[a-z0-9]+)*$/);
    assert.match(why, /^[A-Z].+\.$/, name);
    assert.notEqual(find, replace, name);
    for (const file of tests)
      assert.ok(file.endsWith(".test.ts") && existsSync(join(root, file)), `${name}: ${file}`);
  }
});

test("a mutant whose text is gone or occurs twice is refused", () => {
  const [mutant] = mutants;
  assert.ok(mutant);
  assert.throws(() => applyMutant(mutant, "something else"), /its text is not in/);
  assert.throws(() => applyMutant(mutant, mutant.find + mutant.find), /occurs 2 times/);
});

test("too many survivors, or one mutant that does not run, fail the run", () => {
  const [mutant] = mutants;
  assert.ok(mutant);
  const results = (killed: number, verdict: MutantResult["verdict"]): MutantResult[] =>
    Array.from({ length: 100 }, (_, index) => ({
      mutant,
      verdict: index < killed ? "killed" : verdict,
      detail: "",
      seconds: 1,
    }));
  assert.equal(isEnough(results(92, "survived")), true);
  assert.equal(isEnough(results(91, "survived")), false);
  assert.equal(isEnough(results(91, "timed out")), false);
  assert.equal(isEnough(results(99, "broken")), false);
  assert.match(describeResults(AREAS, results(91, "survived")), /91\.0 % killed/);
});
