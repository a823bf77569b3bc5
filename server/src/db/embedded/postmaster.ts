import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isAlive, isPidInUse, isPostmasterOf } from "./process-state.ts";
import { errorCode } from "./system-error.ts";

/** A running PostgreSQL. The port is unknown for the instant in which it writes its lock file. */
export type Postmaster = { pid: number; port: number | undefined };

const PID_LINE = 0;
const PORT_LINE = 3;

/** PostgreSQL writes its lock file at once. An empty one this old was left by a crash. */
const EMPTY_LOCK_FILE_MS = 3_000;

/** Finds the PostgreSQL that runs on this data directory. */
export async function findPostmaster(dataDirectory: string): Promise<Postmaster | undefined> {
  const content = await readLockFile(dataDirectory);
  const pid = pidOf(content);
  if (pid === undefined || !isRunning(pid, dataDirectory)) return undefined;
  const port = Number(content?.split("\n")[PORT_LINE]);
  return { pid, port: Number.isInteger(port) && port > 0 ? port : undefined };
}

/**
 * Removes a lock file that is empty or whose pid now belongs to an unrelated process or a zombie: PostgreSQL would
 * refuse to start. A file with an unused pid stays, because PostgreSQL replaces it. Surviving children of a killed
 * server are found by PostgreSQL through their shared memory, with or without this file.
 */
export async function removeStaleLockFile(dataDirectory: string): Promise<boolean> {
  const content = await readLockFile(dataDirectory);
  if (content === undefined || !(await isStale(dataDirectory, content))) return false;
  // Moved first and checked again, because another process may have started PostgreSQL in between.
  const path = lockFile(dataDirectory);
  const aside = `${path}.stale-${process.pid}-${randomBytes(4).toString("hex")}`;
  try {
    await rename(path, aside);
    const isTheSame = (await readFile(aside, "utf8")) === content;
    if (!isTheSame) await link(aside, path);
    return isTheSame;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

async function isStale(dataDirectory: string, content: string): Promise<boolean> {
  const pid = pidOf(content);
  if (pid !== undefined) return isPidInUse(pid) && !isRunning(pid, dataDirectory);
  const written = await stat(lockFile(dataDirectory)).catch(() => undefined);
  return written !== undefined && Date.now() - written.mtimeMs > EMPTY_LOCK_FILE_MS;
}

function isRunning(pid: number, dataDirectory: string): boolean {
  return isAlive(pid) && isPostmasterOf(pid, dataDirectory);
}

async function readLockFile(dataDirectory: string): Promise<string | undefined> {
  try {
    return await readFile(lockFile(dataDirectory), "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function pidOf(content: string | undefined): number | undefined {
  // A negative pid marks a single-user PostgreSQL.
  const pid = Math.abs(Number.parseInt(content?.split("\n")[PID_LINE] ?? "", 10));
  return pid > 0 ? pid : undefined;
}

function lockFile(dataDirectory: string): string {
  return join(dataDirectory, "postmaster.pid");
}
