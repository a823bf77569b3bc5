import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode } from "./system-error.ts";

const PS_TIMEOUT_MS = 2_000;
const POLL_MS = 20;

/** A zombie has ended and only waits for its parent, which in a container may never collect it. */
export function isAlive(pid: number): boolean {
  const state = statOf(pid)?.state;
  return isPidInUse(pid) && state !== "Z" && state !== "X";
}

/** True for a zombie too, which PostgreSQL takes for a living process. */
export function isPidInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

/**
 * Whether the process runs PostgreSQL in this directory. A lock file can outlive its process, and pids are reused.
 */
export function isPostmasterOf(pid: number, dataDirectory: string): boolean {
  if (process.platform !== "linux") return programOf(pid).endsWith("postgres");
  try {
    // Compared by device and inode, because a directory can be mounted under two names.
    const [theirs, ours] = [statSync(`/proc/${pid}/cwd`), statSync(dataDirectory)];
    return theirs.dev === ours.dev && theirs.ino === ours.ino;
  } catch (error) {
    // Root in a container may be unable to inspect another user's process, but the program name is always readable.
    return errorCode(error) !== "ENOENT" && statOf(pid)?.program === "postgres";
  }
}

/** Returns whether the process ended in time. */
export async function waitUntilGone(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

function statOf(pid: number): { program: string; state: string } | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name is in parentheses and can contain parentheses itself.
    const end = stat.lastIndexOf(")");
    return { program: stat.slice(stat.indexOf("(") + 1, end), state: stat.slice(end + 2, end + 3) };
  } catch {
    return undefined;
  }
}

function programOf(pid: number): string {
  try {
    return execFileSync("ps", ["-p", String(pid), "-o", "comm="], {
      encoding: "utf8",
      timeout: PS_TIMEOUT_MS,
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}
