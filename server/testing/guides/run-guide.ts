import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { eventually } from "../eventually.ts";
import { type GuideBlock, readGuideBlocks } from "./guide-blocks.ts";
import { findJsonFaults, toOutputPattern } from "./guide-expectations.ts";
import { type GuideTerminal, openGuideTerminal } from "./guide-terminal.ts";

export type GuideWorld = {
  checkout: string;
  /** Values written in the guides and their values here, such as the reader's URL and key. */
  replacements: readonly (readonly [written: string | RegExp, here: string])[];
  env: NodeJS.ProcessEnv;
  /** Puts what the guide assumes into the reader's folder. */
  prepare(folder: string): Promise<void>;
  /** Terminals that are already open. Their blocks have been run. */
  running: Readonly<Record<string, Printer>>;
};

type Printer = Pick<GuideTerminal, "printed" | "failure">;

/**
 * Does what a reader would do: writes the files, runs the blocks in order in one shell, opens a terminal where the
 * guide says so, and compares the output with what the guide shows. A block that prints must be followed by its
 * output; `ord_…` and similar stand for the latest printed value.
 */
export async function runGuide(
  markdown: string,
  world: GuideWorld,
): Promise<{ ran: number; checked: number }> {
  const blocks = readGuideBlocks(markdown);
  assertFilesAreUsed(blocks);
  const home = await mkdtemp(join(tmpdir(), "scrip-guide-"));
  const reader = await openReader(home, world);
  try {
    for (const [index, block] of blocks.entries()) {
      try {
        await follow(reader, block, blocks[index + 1]);
      } catch (error) {
        throw new Error(`line ${block.line}: ${(error as Error).message}\n\n${block.code}`, { cause: error });
      }
    }
    return { ran: reader.ran, checked: reader.checked };
  } finally {
    await Promise.all(reader.opened.map((terminal) => terminal.close()));
    await rm(home, { recursive: true, force: true });
  }
}

const LOOKS_MAX = 100;
const LOOK_EVERY_MS = 50;

type Reader = {
  world: GuideWorld;
  folder: string;
  scripts: string;
  main: GuideTerminal;
  /** The terminals that the guide opened, by name, with how far they have been read. */
  terminals: Map<string, { terminal: Printer; readTo: number }>;
  opened: GuideTerminal[];
  /** What the last block printed. */
  printed: string;
  ran: number;
  checked: number;
};

async function openReader(home: string, world: GuideWorld): Promise<Reader> {
  const [folder, scripts] = [join(home, "shop"), join(home, "blocks")];
  await Promise.all([mkdir(folder), mkdir(scripts)]);
  await world.prepare(folder);
  const main = openGuideTerminal(folder, scripts, world.env);
  const terminals = Object.entries(world.running).map(
    ([name, terminal]) => [name, { terminal, readTo: 0 }] as const,
  );
  return {
    world,
    folder,
    scripts,
    main,
    terminals: new Map(terminals),
    opened: [main],
    printed: "",
    ran: 0,
    checked: 0,
  };
}

async function follow(reader: Reader, block: GuideBlock, next: GuideBlock | undefined): Promise<void> {
  if (block.language === "json") return checkJson(reader, replace(reader, block.code));
  if (block.language === "text") return checkText(reader, block, replace(reader, block.code));
  const code = fill(reader, replace(reader, block.code));
  if (block.file !== undefined) {
    const folder = await reader.main.run("pwd");
    return writeFile(join(folder.trim(), block.file), code);
  }
  reader.ran += 1;
  if (block.terminal !== undefined) return openTerminal(reader, block, code);
  const script = await toScript(reader, block, code);
  reader.printed = await reader.main.run(script);
  if (reader.printed.trim() === "") return;
  const isShown = next?.language === "json" || next?.output === "";
  assert.ok(isShown, `the guide does not show its output: ${reader.printed}`);
  if (block.eventually) await lookAgain(reader, script, next);
}

/** Repeats until what the guide shows is true or time runs out. Then the check itself reports the difference. */
async function lookAgain(reader: Reader, script: string, next: GuideBlock): Promise<void> {
  const isTrue = async () => {
    const { checked } = reader;
    const fits = await follow(reader, next, undefined).then(
      () => true,
      () => false,
    );
    reader.checked = checked;
    return fits;
  };
  for (let looks = 1; looks < LOOKS_MAX && !(await isTrue()); looks += 1) {
    await wait(LOOK_EVERY_MS);
    reader.printed = await reader.main.run(script);
  }
}

/** A program runs in the shell's folder, so that it finds what was installed and written there. */
async function toScript(reader: Reader, block: GuideBlock, code: string): Promise<string> {
  if (block.language === "sh") return block.inCheckout ? `(cd '${reader.world.checkout}'\n${code})` : code;
  const name = `.block-${block.line}.${block.language === "ts" ? "mts" : "mjs"}`;
  const folder = await reader.main.run("pwd");
  await writeFile(join(folder.trim(), name), code);
  return `node ${name}\n`;
}

async function openTerminal(reader: Reader, { terminal: name = "", inCheckout }: GuideBlock, code: string) {
  if (Object.hasOwn(reader.world.running, name)) return;
  const folder = inCheckout ? reader.world.checkout : (await reader.main.run("pwd")).trim();
  const terminal = openGuideTerminal(folder, reader.scripts, reader.world.env);
  reader.opened.push(terminal);
  reader.terminals.set(name, { terminal, readTo: 0 });
  await terminal.start(code);
}

function checkJson(reader: Reader, shown: string): void {
  const faults = findJsonFaults(JSON.parse(shown), JSON.parse(reader.printed));
  assert.deepEqual(faults, [], `the response differs: ${reader.printed}`);
  reader.checked += 1;
}

async function checkText(reader: Reader, { output }: GuideBlock, shown: string): Promise<void> {
  if (output === undefined) return;
  const pattern = toOutputPattern(shown);
  if (output === "") assert.match(reader.printed.trim(), new RegExp(`^${pattern}$`));
  else await waitForOutput(reader, output, pattern);
  reader.checked += 1;
}

async function waitForOutput(reader: Reader, name: string, pattern: string): Promise<void> {
  const opened = reader.terminals.get(name);
  assert.ok(opened, `no terminal named ${name}`);
  const unread = (): string => opened.terminal.printed().slice(opened.readTo);
  const found = await eventually(pattern, async () => {
    const match = new RegExp(`^${pattern}$`, "m").exec(unread());
    if (!match) assert.equal(opened.terminal.failure(), undefined);
    return match ?? undefined;
  }).catch((error) => assert.fail(`${error.message}; ${name} printed: ${unread()}`));
  opened.readTo += found.index + found[0].length;
}

const replace = ({ world }: Reader, code: string): string =>
  world.replacements.reduce((replaced, [written, here]) => replaced.replaceAll(written, () => here), code);

const LATEST = /\b(ord|whk|evt|dlv|whsec)_…/g;

/** What a reader would fill in: the last printed id. */
function fill(reader: Reader, code: string): string {
  const terminals = [...reader.terminals.values()].map(({ terminal }) => terminal);
  const printed = [...terminals, reader.main].map((terminal) => terminal.printed()).join("\n");
  return code.replaceAll(LATEST, (placeholder, kind: string) => {
    const seen = [...printed.matchAll(new RegExp(`\\b${kind}_[\\w+/=]+`, "g"))].at(-1)?.[0];
    assert.ok(seen, `no printed value matches ${placeholder}`);
    return seen;
  });
}

/** A file that no later block names would be shown but never tried. */
function assertFilesAreUsed(blocks: readonly GuideBlock[]): void {
  for (const [index, { file, line }] of blocks.entries()) {
    if (file === undefined) continue;
    const isUsed = blocks.slice(index + 1).some(({ code }) => code.includes(file));
    assert.ok(isUsed, `line ${line}: ${file} is written and never used`);
  }
}
