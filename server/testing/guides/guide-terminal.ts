import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A shell that stays open, as a reader's terminal does. */
export type GuideTerminal = {
  /** Runs the text to its end; what it printed on standard output. Any command that fails, fails it. */
  run(script: string): Promise<string>;
  /** Runs the text and does not wait. */
  start(script: string): Promise<void>;
  /** All that was printed so far, on standard output. */
  printed(): string;
  /** What a shell that has ended had to complain of; undefined while it is open. */
  failure(): string | undefined;
  close(): Promise<void>;
};

/** The longest is the installation of the SDK, which may have to share a busy machine. */
const BLOCK_TIMEOUT_MS = 60_000;
const STOP_AFTER_MS = 3_000;

/** `folder` is where it begins; the blocks themselves are kept in `scripts`. */
export function openGuideTerminal(folder: string, scripts: string, env: NodeJS.ProcessEnv): GuideTerminal {
  // A group of its own, so that whatever a block leaves running ends with the terminal.
  const shell = spawn("bash", ["--noprofile", "--norc"], {
    cwd: folder,
    env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  shell.stdout.setEncoding("utf8").on("data", (text: string) => {
    // HTTP's lines end with more than a reader sees.
    output.stdout += text.replaceAll("\r", "");
  });
  shell.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  shell.stdin.on("error", () => {});
  let isClosed = false;
  // Later than its exit: all that it had to say has been read.
  const closed = once(shell, "close").then(() => {
    isClosed = true;
  });
  // A failing command ends the shell, and so the block.
  shell.stdin.write("set -eu -o pipefail\n");

  const send = async (script: string, then: string): Promise<void> => {
    const path = join(scripts, `${randomUUID()}.sh`);
    await writeFile(path, script);
    // Sourced, so that variables stay; a program that reads standard input must not eat the next block.
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
        const failure = findFailure() ?? (deadline.aborted ? "it did not end" : undefined);
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
          // All of it has ended by itself.
        }
      };
      kill("SIGTERM");
      const late = setTimeout(() => kill("SIGKILL"), STOP_AFTER_MS);
      await closed;
      clearTimeout(late);
    },
  };
}
