import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A shell that stays open, like a reader's terminal. */
export type GuideTerminal = {
  /** Runs the script to its end and returns its standard output. Fails if any command fails. */
  run(script: string): Promise<string>;
  /** Starts the script without waiting. */
  start(script: string): Promise<void>;
  /** Everything printed to standard output so far. */
  printed(): string;
  /** The error output of a shell that has ended. Undefined while it is open. */
  failure(): string | undefined;
  close(): Promise<void>;
};

/** The longest block installs the SDK, possibly on a busy machine. */
const BLOCK_TIMEOUT_MS = 60_000;
const STOP_AFTER_MS = 3_000;

/** It starts in `folder`. The blocks themselves are stored in `scripts`. */
export function openGuideTerminal(folder: string, scripts: string, env: NodeJS.ProcessEnv): GuideTerminal {
  // A separate process group, so that everything a block leaves running ends with the terminal.
  const shell = spawn("bash", ["--noprofile", "--norc"], {
    cwd: folder,
    env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  shell.stdout.setEncoding("utf8").on("data", (text: string) => {
    // HTTP lines end with a carriage return that a reader does not see.
    output.stdout += text.replaceAll("\r", "");
  });
  shell.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  shell.stdin.on("error", () => {});
  let isClosed = false;
  // After its exit, when all output has been read.
  const closed = once(shell, "close").then(() => {
    isClosed = true;
  });
  // A failing command ends the shell, and with it the block.
  shell.stdin.write("set -eu -o pipefail\n");

  const send = async (script: string, then: string): Promise<void> => {
    const path = join(scripts, `${randomUUID()}.sh`);
    await writeFile(path, script);
    // Sourced, so that variables persist. A program that reads standard input must not consume the next block.
    shell.stdin.write(`. '${path}' < /dev/null\n${then}\n`);
  };
  const findFailure = (): string | undefined =>
    isClosed ? `the shell ended (${shell.exitCode ?? shell.signalCode}): ${output.stderr}` : undefined;
  return {
    async run(script) {
      const end = `end of ${randomUUID()}`;
      const before = output.stdout.length;
      await send(script, `printf '\\n%s\\n' '${end}'`);
      const deadline = AbortSignal.timeout(BLOCK_TIMEOUT_MS);
      for (;;) {
        const at = output.stdout.indexOf(`\n${end}\n`, before);
        if (at >= 0) return output.stdout.slice(before, at);
        const failure = findFailure() ?? (deadline.aborted ? "it did not finish" : undefined);
        if (failure !== undefined) throw new Error(`${failure}\n${output.stdout.slice(before)}`);
        await Promise.race([once(shell.stdout, "data", { signal: deadline }).catch(() => {}), closed]);
      }
    },
    start: (script) => send(script, ""),
    printed: () => output.stdout,
    failure: findFailure,
    async close() {
      const group = -(shell.pid ?? Number.NaN);
      const kill = (signal: NodeJS.Signals): void => {
        try {
          process.kill(group, signal);
        } catch {
          // Everything has ended already.
        }
      };
      kill("SIGTERM");
      const late = setTimeout(() => kill("SIGKILL"), STOP_AFTER_MS);
      await closed;
      clearTimeout(late);
    },
  };
}
