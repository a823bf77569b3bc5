import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

export type Check = { title: string; passed: boolean; output: string };

const CHECK_TIMEOUT_MS = 300_000;

/** Runs a script of Node's beside the tests. Its output is shown when it fails. */
export async function startCheck(root: string, title: string, args: readonly string[]): Promise<Check> {
  const child = spawn(process.execPath, [...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: CHECK_TIMEOUT_MS,
  });
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "exit"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { title, passed: code === 0, output: stdout + stderr };
}
