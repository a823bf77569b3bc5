import { randomBytes } from "node:crypto";
import { chown, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Account } from "./run-program.ts";

/** Login data. The port is the one PostgreSQL last used; a running server's port is in its lock file. */
export type Access = { user: string; password: string; port: number };

export const DATABASE_NAME = "scrip";
const PASSWORD_BYTES = 32;
const PRIVATE_FILE = 0o600;

export function createAccess(port: number): Access {
  return { user: "scrip", password: randomBytes(PASSWORD_BYTES).toString("base64url"), port };
}

export function connectionStringOf(access: Access, port: number): string {
  return `postgres://${access.user}:${access.password}@127.0.0.1:${port}/${DATABASE_NAME}`;
}

export async function readAccess(path: string): Promise<Access> {
  const access: unknown = await readFile(path, "utf8").then(JSON.parse);
  if (!isAccess(access)) throw new Error(`${path} does not contain a user, a password and a port`);
  return access;
}

/** The data cannot be opened without the password, so it is flushed to disk before anything relies on it. */
export async function writeAccess(path: string, access: Access, owner: Account | undefined): Promise<void> {
  const draft = `${path}.new-${process.pid}-${randomBytes(4).toString("hex")}`;
  try {
    const file = await open(draft, "wx", PRIVATE_FILE);
    try {
      await file.writeFile(`${JSON.stringify(access)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    if (owner !== undefined) await chown(draft, owner.uid, owner.gid);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** A rename is durable once its directory is flushed. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function isAccess(value: unknown): value is Access {
  if (typeof value !== "object" || value === null) return false;
  const { user, password, port } = value as Record<string, unknown>;
  return typeof user === "string" && typeof password === "string" && Number.isInteger(port);
}
