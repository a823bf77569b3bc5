#!/usr/bin/env node
// The entry of every npm script. Works with Node 18 and later: it installs missing dependencies and
// continues in Node 24, which is one of them.
//
//   node scripts/run.mjs start --demo     the scrip command with its arguments
//   node scripts/run.mjs --run FILE …     a script of this checkout, with the development dependencies

import { existsSync, realpathSync } from "node:fs";
import module from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ensureInstalled } from "./ensure-installed.mjs";
import { cacheFolderOf } from "./keep-compiled.mjs";
import { runChild } from "./run-child.mjs";
import { watchParent } from "./watch-parent.mjs";

const NEEDED_MAJOR = 24;
const thisFile = fileURLToPath(import.meta.url);
const root = dirname(dirname(thisFile));

/** The working directory does not change: the command keeps its data there by default. */
export async function run(args) {
  if (process.env.npm_lifecycle_event !== undefined) watchParent(process.ppid);
  const task = parseTask(args);
  try {
    await ensureInstalled(root, task.level);
  } catch (error) {
    fail(error.message);
  }
  const path = [join(root, "node_modules", ".bin"), process.env.PATH ?? ""];
  process.env.PATH = path.join(delimiter);
  if (Number.parseInt(process.versions.node, 10) >= NEEDED_MAJOR) await runHere(task);
  else await runWithBundledNode(task);
}

function parseTask(args) {
  if (args[0] !== "--run") return { level: "prod", file: join(root, "server/src/bin/scrip.ts"), args };
  if (args[1] === undefined) fail("--run needs a file");
  return { level: "all", file: resolve(root, args[1]), args: args.slice(2) };
}

async function runHere({ file, args }) {
  const folder = cacheFolderOf(root);
  if (folder !== undefined) module.enableCompileCache(folder);
  process.argv = [process.execPath, file, ...args];
  await import(pathToFileURL(file).href);
}

async function runWithBundledNode({ file, args }) {
  const platform = `${process.platform}-${process.arch}`;
  const node = join(root, "node_modules", `node-${platform}`, "bin", "node");
  if (!existsSync(node)) {
    fail(
      `Scrip needs Node ${NEEDED_MAJOR} or newer; this is ${process.version}, and no Node is bundled for ${platform}: ` +
        "install it with your package manager",
    );
  }
  const watcher = new URL("./watch-parent.mjs", import.meta.url).href;
  const folder = process.env.NODE_COMPILE_CACHE ?? cacheFolderOf(root);
  const { code, signal } = await runChild(node, ["--import", watcher, file, ...args], {
    stdio: "inherit",
    env: {
      ...process.env,
      SCRIP_PARENT_PID: String(process.pid),
      // Set before the first file is loaded, so that Node's TypeScript compiler is cached too.
      ...(folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }),
    },
  });
  process.exitCode = code ?? 1;
  // Pass on how it ended.
  if (signal !== null) process.kill(process.pid, signal);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === thisFile) {
  await run(process.argv.slice(2));
}
