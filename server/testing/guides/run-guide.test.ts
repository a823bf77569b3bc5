import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import { findJsonFaults, toOutputPattern } from "./guide-expectations.ts";
import { type GuideWorld, runGuide } from "./run-guide.ts";

const world: GuideWorld = {
  checkout: "/",
  replacements: [["written", "here"]],
  env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
  prepare: async () => {},
  running: { server: { printed: () => "it is ready\n", failure: () => undefined } },
};

const run = (...blocks: string[]) => runGuide(`# A guide\n\n${blocks.join("\n\n")}\n`, world);
const block = (info: string, ...lines: string[]) => ["```".concat(info), ...lines, "```"].join("\n");

test("variables, folders and files persist between blocks, and printed ids are filled in", async () => {
  const result = await run(
    block("sh", "mkdir shop && cd shop", "export NAME=written"),
    block("js file=hello.mjs", 'export const hello = "hello " + process.env.NAME;'),
    block("js", 'import { hello } from "./hello.mjs";', "console.log(hello, 'ord_123');"),
    block("text output", "hello written ord_…"),
    block("sh", "echo ord_… | tr 1 x"),
    block("text output", "ord_x23"),
    block("ts", "const order: string = 'typed';", "console.log(JSON.stringify({ order }));"),
    block("json", '{ "order": "typed" }'),
  );
  assert.deepEqual(result, { ran: 4, checked: 3 });
});

test("a terminal keeps running during later blocks, and its output is awaited", async () => {
  await run(
    block("sh", "mkfifo pipe"),
    block("sh terminal=reader", "echo waiting", "cat pipe"),
    block("text output=reader", "waiting"),
    block("sh", "echo through the pipe > pipe"),
    block("text output=reader", "through … pipe"),
    block("text output=server", "it is ready"),
  );
});

test("a block whose output takes a moment is run again", async () => {
  await run(
    block("sh eventually", "echo . >> looks", 'wc -l < looks | tr -d " "'),
    block("text output", "3"),
  );
});

const FAILING: [why: string, blocks: string[], message: RegExp][] = [
  ["a block in an unknown language", [block("python", "1")], /line 3: a block in "python"/],
  ["a block without a language", [block("", "1")], /a block in ""/],
  ["an unknown attribute", [block("sh skip", "true")], /unknown attribute skip/],
  ["an unclosed fence", [block("sh", "true"), "```sh\ntrue"], /unclosed/],
  ["a command that fails", [block("sh", "false", "true")], /the shell ended \(1\)/],
  ["a command that fails in a pipe", [block("sh", "false | true")], /the shell ended/],
  ["an unset variable", [block("sh", ': "$NOT_SET"')], /NOT_SET: unbound variable/],
  ["a program that throws", [block("js", "throw new Error('no');")], /Error: no/],
  ["an output that the guide does not show", [block("sh", "echo hello")], /does not show its output: hello/],
  ["a different output", [block("sh", "echo a"), block("text output", "b")], /did not match/],
  ["more output than is shown", [block("sh", "echo a; echo b"), block("text output", "a")], /did not match/],
  ["a different response", [block("sh", 'echo "{}"'), block("json", '{"a": 1}')], /\/a is shown but missing/],
  ["invalid JSON", [block("sh", 'echo "{}"'), block("json", "{a: 1}")], /JSON/],
  ["a file that is never used", [block("js file=a.mjs", "1")], /a\.mjs is written and never used/],
  ["an id that was never printed", [block("sh", "echo ord_…")], /no printed value matches ord_…/],
  [
    "a terminal that ends",
    [block("sh terminal=a", "exit 3"), block("text output=a", "b")],
    /the shell ended \(3\)/,
  ],
  ["an unopened terminal", [block("text output=a", "b")], /no terminal named a/],
];

for (const [why, blocks, message] of FAILING) {
  test(`${why} fails the guide`, async () => {
    await assert.rejects(run(...blocks), message);
  });
}

test("a response has the shown members, with the same values or values of the same kind", () => {
  const shown = {
    id: "ord_01m7…",
    at: "2030-01-31T12:00:00.000Z",
    status: "pending",
    nextCursor: "abc",
    data: [{ n: 1 }],
  };
  const real = {
    id: "ord_7hx",
    at: "2026-01-01T00:00:00.001Z",
    status: "pending",
    nextCursor: "xyz",
    data: [{ n: 1 }, { n: 2 }],
  };
  assert.deepEqual(findJsonFaults(shown, real), []);
  const others: object[] = [
    { ...real, id: "evt_7hx" },
    { ...real, at: "yesterday" },
    { ...real, status: "completed" },
    { ...real, nextCursor: "" },
    { ...real, data: [] },
    { ...real, data: [{ n: "1" }] },
    { ...real, data: [{ n: 2 }] },
    { ...real, data: {} },
    { ...real, more: true },
    { ...real, status: null },
  ];
  for (const other of others) assert.equal(findJsonFaults(shown, other).length, 1, JSON.stringify(other));
});

test("an ellipsis matches anything within its line, and alone any lines", () => {
  const fits = (shown: string, real: string) => new RegExp(`^${toOutputPattern(shown)}$`).test(real);
  assert.ok(fits("a … c", "a b c"));
  assert.ok(!fits("a … c", "a\nc"));
  assert.ok(fits("a\n…\nd", "a\nb\nc\nd"));
  assert.ok(fits("a\n…", "a\nb\nc"));
  assert.ok(fits("[1] (x)?", "[1] (x)?"));
  assert.ok(!fits("a.c", "abc"));
});
