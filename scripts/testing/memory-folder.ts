import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";
import { isAlive } from "../../server/src/db/embedded/process-state.ts";

/** Where the system keeps files in memory. */
export type Memory = {
  path: string;
  freeBytes: number;
  /** Some systems forbid it there. Tests install programs into temporary folders. */
  canRunPrograms: boolean;
};

const SYSTEM_PATH = "/dev/shm";
const FOLDER_NAME = /^scrip-tests-(\d+)-/;
/** More than twice the most that a run was seen to need. */
const NEEDED_BYTES = 3 * 2 ** 30;
/** As the system's temporary folder: every account can use it, and no one can remove the files of others. */
const TEMPORARY_FOLDER_MODE = 0o1777;

/**
 * Makes a temporary folder in memory. Each test file gets a database of several hundred files and removes it again. On
 * ext4 that takes six times as much CPU, because each new file is searched a place among those just removed. Returns
 * undefined where there is no memory to spare.
 */
export function makeMemoryFolder(memory: Memory | undefined = findMemory()): string | undefined {
  if (memory === undefined || memory.freeBytes < NEEDED_BYTES || !memory.canRunPrograms) return undefined;
  removeAbandoned(memory.path);
  const folder = mkdtempSync(join(memory.path, `scrip-tests-${process.pid}-`));
  chmodSync(folder, TEMPORARY_FOLDER_MODE);
  return folder;
}

/** A killed run could not remove its own. */
function removeAbandoned(path: string): void {
  for (const name of readdirSync(path)) {
    const pid = FOLDER_NAME.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) removeMemoryFolder(join(path, name));
  }
}

/**
 * Removes the folder and what is mounted in it: a storm that was killed leaves the disk of its database. What cannot be
 * removed stays, for it must not stop the tests.
 */
export function removeMemoryFolder(folder: string): void {
  for (const mounted of findMounts().map(([, place = ""]) => place))
    if (mounted.startsWith(`${folder}/`)) spawnSync("umount", ["--lazy", mounted], { stdio: "ignore" });
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The next run tries again.
  }
}

function findMemory(): Memory | undefined {
  try {
    const { bavail, bsize } = statfsSync(SYSTEM_PATH);
    // Of several mounts in one place, the last one is seen.
    const [, , type, options = ""] = findMounts().findLast(([, place]) => place === SYSTEM_PATH) ?? [];
    return {
      path: SYSTEM_PATH,
      freeBytes: type === "tmpfs" ? Math.min(bavail * bsize, freemem()) : 0,
      canRunPrograms: !options.split(",").includes("noexec"),
    };
  } catch {
    // Not on this system.
    return undefined;
  }
}

/** Each as its source, place, type and options. */
function findMounts(): string[][] {
  try {
    return readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "));
  } catch {
    // Not on this system.
    return [];
  }
}
