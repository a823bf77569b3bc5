import { randomBytes } from "node:crypto";
import { closeSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { link, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Secret, secret } from "../lib/secret.ts";
import type { MasterKeys } from "./seal.ts";

/** The keys in the file, and a version that changes with the file. */
export type KeyFile = { keys: MasterKeys; version: string };

export const keyFilePath = (dataDir: string): string => join(dataDir, "master.key");

/**
 * One base64 key per line, newest first. Undefined if there is no file. Synchronous, because a key can be needed
 * while a value is being opened.
 */
export function readKeyFile(path: string): KeyFile | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(file, { bigint: true });
    if (stat.size > FILE_MAX_BYTES) throw new Error(`${path} is too long to be a key file`);
    const text = readFileSync(file, "utf8");
    if (othersMayRead(stat.mode))
      throw new Error(`${path} is readable by other users; run: chmod 600 ${path}`);
    return { keys: parseKeys(path, text), version: versionOf(stat) };
  } finally {
    closeSync(file);
  }
}

/** The version that `readKeyFile` would return, for the cost of one stat. Undefined if it cannot be determined. */
export function findKeyFileVersion(path: string): string | undefined {
  try {
    return versionOf(statSync(path, { bigint: true }));
  } catch {
    return undefined;
  }
}

/**
 * Written completely under another name and then linked, so that concurrent first starts agree on one key and no
 * file is torn.
 */
export async function createKeyFile(path: string): Promise<KeyFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  await writeFile(draft, formatKeys([secret(randomBytes(MASTER_KEY_BYTES))]), {
    mode: KEY_FILE_MODE,
    flag: "wx",
    flush: true,
  });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const created = readKeyFile(path);
  if (!created) throw new Error(`${path} could not be created`);
  return created;
}

export const MASTER_KEY_BYTES = 32;
export const KEY_FILE_MODE = 0o600;
const FILE_MAX_BYTES = 65_536n;
const OTHERS = 0o077n;

export const formatKeys = (keys: readonly Secret<Buffer>[]): string =>
  keys.map((key) => `${key.reveal().toString("base64")}\n`).join("");

/** Windows has no such permissions and reports every file as readable by all. */
const othersMayRead = (mode: bigint): boolean => process.platform !== "win32" && (mode & OTHERS) !== 0n;

const versionOf = (stat: { ino: bigint; size: bigint; mtimeNs: bigint; ctimeNs: bigint }): string =>
  `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;

function parseKeys(path: string, text: string): MasterKeys {
  const [newest, ...older] = text
    .trim()
    .split("\n")
    .map((line) => parseKey(path, line.trim()));
  if (!newest) throw new Error(notAKey(path));
  return [newest, ...older];
}

function parseKey(path: string, line: string): Secret<Buffer> {
  const key = Buffer.from(line, "base64");
  // The decoder skips characters that are not base64, so a damaged file could be read as another key.
  if (key.length !== MASTER_KEY_BYTES || key.toString("base64") !== line) throw new Error(notAKey(path));
  return secret(key);
}

const notAKey = (path: string): string =>
  `${path} does not contain a master key of ${MASTER_KEY_BYTES} bytes in base64 on each line`;
