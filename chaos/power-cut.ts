import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { postmasterPid } from "../server/testing/database/embedded-testing.ts";
import type { Disk } from "./disk.ts";

const GONE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 5;

/**
 * A power cut of the database's machine. SIGKILL keeps what PostgreSQL wrote and did not flush, because the system has it
 * in memory. This loses it: PostgreSQL is frozen, its disk is replaced by what has reached it, then PostgreSQL is killed.
 * Its owner starts it again. Returns false if the disk cannot lose its power, or PostgreSQL is already down.
 */
export async function cutPower(dataDir: string, disk: Disk | undefined): Promise<boolean> {
  if (disk?.loseWhatIsInMemory === undefined) return false;
  const postmaster = await postmasterPid(dataDir);
  // A frozen postmaster starts no more processes.
  if (!signal(postmaster, "SIGSTOP")) return false;
  const children = childrenOf(postmaster);
  for (const pid of children) signal(pid, "SIGSTOP");
  try {
    await disk.loseWhatIsInMemory();
  } finally {
    for (const pid of [...children, postmaster]) signal(pid, "SIGKILL");
  }
  await untilGone([...children, postmaster]);
  return true;
}

function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && statOf(pid)?.parent === parent);
}

/** The name of a process is in parentheses and may itself contain any. */
function statOf(pid: number): { state: string; parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** Returns false if the process has ended. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

async function untilGone(pids: readonly number[]): Promise<void> {
  const deadlineMs = performance.now() + GONE_WITHIN_MS;
  while (pids.some((pid) => (statOf(pid)?.state ?? "Z") !== "Z")) {
    if (performance.now() > deadlineMs) throw new Error("PostgreSQL did not end");
    await wait(LOOK_EVERY_MS);
  }
}
