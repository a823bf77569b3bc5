// Runs npm from a script that npm might have started. Works with Node 18 and later.

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { runChild } from "./run-child.mjs";

const QUIET_FLAGS = "--no-audit --no-fund --no-update-notifier --loglevel=error".split(" ");

/** Settings of the npm that started us, which would change what our npm does. */
const FOREIGN_NPM_SETTINGS =
  /^npm_config_(workspaces?|include_workspace_root|global|location|prefix|local_prefix|dry_run|json|package|package_lock|package_lock_only|call|save.*)$/i;

/** Throws when npm cannot run or fails. `what` describes the task in the error. */
export async function runNpm(args, { cwd, what, stdio = ["ignore", 2, 2] }) {
  const [command, ...firstArgs] = npmCommand();
  const env = Object.entries(process.env).filter(([name]) => !FOREIGN_NPM_SETTINGS.test(name));
  const result = await runChild(command, [...firstArgs, ...args, ...QUIET_FLAGS], {
    cwd,
    env: Object.fromEntries(env),
    stdio,
  }).catch((error) => {
    throw new Error(`cannot run npm to ${what}: ${error.message}`);
  });
  if (result.signal !== null || result.code !== 0) {
    throw new Error(`npm could not ${what} (${result.signal ?? `exit code ${result.code}`})`);
  }
}

/** The npm that started us, or the one on the PATH. */
function npmCommand() {
  const path = process.env.npm_execpath ?? "";
  const script = join(dirname(path), "npm-cli.js");
  const isNpm = ["npm-cli.js", "npx-cli.js"].includes(basename(path)) && existsSync(script);
  return isNpm ? [process.execPath, script] : ["npm"];
}
