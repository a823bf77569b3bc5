import assert from "node:assert/strict";
import { test } from "node:test";
import { HELP, readOptions } from "./options.ts";

test("one in five requests goes to the pages, unless one surface is chosen", () => {
  const runs = (...args: string[]) => {
    const read = readOptions(args, 7);
    assert.ok(read !== "help" && !("error" in read));
    return read.runs;
  };
  assert.deepEqual(runs("--requests", "1000"), [
    { surface: "api", requests: 800 },
    { surface: "web", requests: 200 },
  ]);
  assert.deepEqual(runs("--surface", "web", "--requests", "1000"), [{ surface: "web", requests: 1_000 }]);
  assert.deepEqual(runs("--only", "12000"), [{ surface: "api", requests: 12_001 }]);
});

test("what is wrong with the options is one line, and help lists each of them", () => {
  for (const [args, error] of [
    [["--hepl"], "Unknown option '--hepl'"],
    [["--seed", "x"], "--seed takes an integer, not x"],
    [["--surface", "cli"], "--surface is api, web, all, not cli"],
    [["--surface", "web", "--only", "3"], "--only is for requests of the API"],
    [["--requests"], "Option '--requests <value>' argument missing"],
  ] as const)
    assert.deepEqual(readOptions(args, 7), { error });
  assert.equal(readOptions(["--help"], 7), "help");
  for (const name of ["requests", "surface", "seed", "only", "no-tests", "help"])
    assert.ok(HELP.includes(`  --${name} `), name);
});
