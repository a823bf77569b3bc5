import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 120_000;

/** Runs a program to its end and returns what it printed. Its last lines of standard error are in the failure. */
export async function runProgram(
  command: string,
  args: readonly string[],
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<string> {
  try {
    const { stdout } = await run(command, args, { timeout: timeoutMs, maxBuffer: OUTPUT_MAX_BYTES });
    return stdout.trim();
  } catch (error) {
    const { stderr = "", code } = error as { stderr?: string; code?: number | string };
    throw new Error(`${command} ${args[0]} failed (${code}): ${stderr.trim().slice(-2_000)}`, {
      cause: error,
    });
  }
}

/** The names of programs that are not on the PATH. */
export async function findMissing(programs: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    programs.map((program) =>
      runProgram("/bin/sh", ["-c", `command -v ${program}`]).then(
        () => true,
        () => false,
      ),
    ),
  );
  return programs.filter((_, index) => !found[index]);
}
