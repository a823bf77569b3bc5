import { chown, type FileHandle, open, rename, stat } from "node:fs/promises";
import type { Account } from "./run-program.ts";

/** PostgreSQL's output since one start. */
export type ServerLog = {
  file: FileHandle;
  /** The first part of what was written since the start. */
  read(): Promise<string>;
};

const MAX_LOG_BYTES = 10 * 1_048_576;
const MAX_READ_BYTES = 65_536;
const PRIVATE_FILE = 0o600;

/** Opens the log for a new server and keeps one previous file. */
export async function openServerLog(path: string, owner: Account | undefined): Promise<ServerLog> {
  const old = await stat(path).catch(() => undefined);
  if (old !== undefined && old.size > MAX_LOG_BYTES) await rename(path, `${path}.old`);
  const file = await open(path, "a", PRIVATE_FILE);
  if (owner !== undefined) await chown(path, owner.uid, owner.gid);
  const { size: start } = await file.stat();
  return { file, read: () => readFrom(path, start) };
}

async function readFrom(path: string, start: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MAX_READ_BYTES), position: start });
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
