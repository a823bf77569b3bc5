import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The account that a program runs as. */
export type Account = { uid: number; gid: number };

export type ProgramResult = { ok: true } | { ok: false; reason: string };

const MAX_OUTPUT_BYTES = 1_048_576;
const REASON_LINES = 3;
const COMPLAINT = /\b(error|fatal|panic|hint):/i;
const LOG_LINE_PREFIX = /^[\d-]+ [\d:.]+ \w+ \[\d+\] /;

/** Runs a program to its end. A failure is reported as one line. `path` is its search path. */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: { cwd: string; account: Account | undefined; timeoutMs: number; path?: string },
): Promise<ProgramResult> {
  try {
    await promisify(execFile)(file, args, {
      cwd: options.cwd,
      timeout: options.timeoutMs,
      maxBuffer: MAX_OUTPUT_BYTES,
      env: { ...serverEnvironment(), ...(options.path && { PATH: options.path }) },
      ...options.account,
    });
    return { ok: true };
  } catch (error) {
    const { killed, stderr, message } = error as Error & { killed?: boolean; stderr?: string };
    if (killed) return { ok: false, reason: `did not finish within ${options.timeoutMs / 1000} s` };
    return { ok: false, reason: lastLines(stderr ?? "") || message };
  }
}

/** The user's PG… variables and locale must not affect the embedded server. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? "/usr/bin:/bin", TZ: "UTC", LC_ALL: "C" };
}

/** The error lines of an output, or else its last lines, as one line. */
export function lastLines(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.replace(LOG_LINE_PREFIX, "").trim())
    .filter((line) => line !== "");
  const complaints = lines.filter((line) => COMPLAINT.test(line));
  return (complaints.length > 0 ? complaints : lines).slice(-REASON_LINES).join(" / ");
}
