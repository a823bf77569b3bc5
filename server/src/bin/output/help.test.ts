import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import type { Command } from "commander";
import { buildProgram, programFor } from "../program.ts";
import { completionFor } from "./completion.ts";
import { EXAMPLES } from "./examples.ts";

const run = promisify(execFile);

type Leaf = { path: string; command: Command };

function leavesOf(command: Command, path = ""): Leaf[] {
  if (command.commands.length === 0) return [{ path, command }];
  return command.commands.flatMap((child) => leavesOf(child, `${path} ${child.name()}`.trim()));
}

/** All that --help prints, what is added after it included. */
function helpOf(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => void parts.push(part) });
  command.outputHelp();
  return parts.join("");
}

test("the help of every command marks what is required, and ends with an example that the command takes", async () => {
  const leaves = leavesOf(await buildProgram());
  assert.ok(leaves.length > 50, `only ${leaves.length} commands`);
  for (const { path, command } of leaves) {
    const help = helpOf(command);
    assert.match(help, /\nExamples:\n/, path);
    const [required = "", rest = ""] = help.split("Required options:")[1]?.split("\nOptions:") ?? ["", help];
    for (const { long = "", mandatory } of command.options)
      assert.ok((mandatory ? required : rest).includes(long), `${path} ${long}`);
    for (const line of EXAMPLES[path] ?? []) {
      assert.ok(line.includes(`scrip ${path}`), line);
      const known = command.options.map(({ long }) => long);
      const given: string[] = line.match(/--[a-z-]+/g) ?? [];
      for (const option of given) assert.ok(known.includes(option), `${line}: ${option}`);
      for (const { long = "", mandatory } of command.options)
        assert.ok(!mandatory || given.includes(long), `${line} lacks ${long}`);
    }
  }
});

test("every example belongs to an existing command", async () => {
  const paths = leavesOf(await buildProgram()).map(({ path }) => path);
  assert.deepEqual(
    Object.keys(EXAMPLES).filter((path) => !paths.includes(path)),
    [],
  );
});

test("a command line loads only its group, and all groups for help", async () => {
  const one = await buildProgram("price");
  assert.deepEqual(
    one.commands.map((command) => command.name()),
    ["price"],
  );
  assert.ok((await buildProgram("--help")).commands.length > 15);
  assert.ok((await buildProgram("constructor")).commands.length > 15);
});

test("the overview that loads no group says what the groups say", async () => {
  const whole = helpOf(await buildProgram());
  for (const first of [undefined, "-h", "--help"]) assert.equal(helpOf(await programFor(first)), whole);
  assert.equal((await programFor("price")).commands.length, 1);
});

/** What bash offers for a line; the last word is the one that is being typed. */
async function complete(words: readonly string[]): Promise<string[]> {
  const script = completionFor(await buildProgram(), "bash");
  const list = words.map((word) => `'${word}'`).join(" ");
  const ask = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _scrip; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run("bash", ["--norc", "-c", `${script}\n${ask}`], { timeout: 10_000 });
  return stdout.trim().split("\n");
}

test("bash completes commands, verbs, options and option values", async () => {
  assert.deepEqual(await complete(["scrip", "pri"]), ["price"]);
  assert.deepEqual(await complete(["scrip", "price", ""]), [
    "set",
    "remove",
    "list",
    "import",
    "propose",
    "publish",
    "explain",
  ]);
  assert.deepEqual(await complete(["scrip", "order", "list", "--st"]), ["--status", "--stuck"]);
  assert.deepEqual(await complete(["scrip", "key", "create", "--env", ""]), ["live", "test"]);
  assert.deepEqual(await complete(["scrip", "order", "show", "ord_x", "--j"]), ["--json"]);
  assert.deepEqual(await complete(["scrip", "completion", ""]), ["bash", "zsh", "fish"]);
});

test("zsh and fish get every verb too", async () => {
  const program = await buildProgram();
  for (const shell of ["zsh", "fish"] as const) {
    const script = completionFor(program, shell);
    for (const word of ["withdraw", "older-than", "gift_card"])
      assert.ok(script.includes(word), `${shell} ${word}`);
  }
});
