import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Runtime } from "./runtimes.ts";

const RUN_TIMEOUT_MS = 60_000;

/** What it prints on standard output, when it ends by itself and well. */
export async function runScript(
  { command, args }: Pick<Runtime, "command" | "args">,
  script: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Readonly<Record<string, string>> },
): Promise<string> {
  const child = spawn(command, [...args, ...script], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: RUN_TIMEOUT_MS,
  });
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      output[stream] += text;
    });
  }
  const [code, signal] = await once(child, "close");
  assert.deepEqual([code, signal], [0, null], output.stdout + output.stderr);
  return output.stdout;
}
