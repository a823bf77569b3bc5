import { randomBytes } from "node:crypto";
import { chown, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type Secret, secret } from "../lib/secret.ts";
import { formatKeys, KEY_FILE_MODE, MASTER_KEY_BYTES, readKeyFile } from "./key-file.ts";
import { KEY_FILE_LOOK_EVERY_MS } from "./keyring.ts";
import { findKey, keyIdOf, type MasterKeys } from "./seal.ts";

export type AddKeyDeps = {
  /** Runs one change of the file at a time, across processes. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  wait: (ms: number) => Promise<void>;
};

/** After this time every running process has seen a change of the file. */
export const KEY_FILE_SETTLE_MS = KEY_FILE_LOOK_EVERY_MS + 250;

/**
 * Generates a master key and moves all running processes to it. The key is first added at the end, where it can open
 * but does not seal. By the time it seals, every process can open its values, and it is safely on disk.
 */
export async function addMasterKey(path: string, { exclusively, wait }: AddKeyDeps): Promise<void> {
  const key = await exclusively(() => announceKey(path));
  await wait(KEY_FILE_SETTLE_MS);
  await exclusively(async () => replaceKeyFile(path, putFirst(key, getKeys(path))));
  await wait(KEY_FILE_SETTLE_MS);
}

const KEYS_MAX = 100;

async function announceKey(path: string): Promise<Secret<Buffer>> {
  const keys = getKeys(path);
  if (keys.length >= KEYS_MAX)
    throw new Error(`${path} already has ${KEYS_MAX} keys; remove unused ones first`);
  const key = makeKey(keys);
  await replaceKeyFile(path, [...keys, key]);
  return key;
}

const putFirst = (key: Secret<Buffer>, keys: MasterKeys): MasterKeys => [
  key,
  ...keys.filter((one) => !one.reveal().equals(key.reveal())),
];

function getKeys(path: string): MasterKeys {
  const file = readKeyFile(path);
  if (!file) throw new Error(`${path} is missing`);
  return file.keys;
}

function makeKey(known: MasterKeys): Secret<Buffer> {
  const key = secret(randomBytes(MASTER_KEY_BYTES));
  // Values identify their key by four bytes of a hash, so two keys with the same id could not be told apart.
  return findKey(known, keyIdOf(key)) ? makeKey(known) : key;
}

/** Replaces the file atomically and keeps its owner. Readers see the old keys or the new. */
async function replaceKeyFile(path: string, keys: MasterKeys): Promise<void> {
  // Only one change runs at a time, so a fixed name is safe and leftovers of killed changes do not accumulate.
  const draft = `${path}.draft`;
  await rm(draft, { force: true });
  try {
    await writeDraft(draft, formatKeys(keys), await stat(path));
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  await flushFolder(dirname(path));
}

async function writeDraft(draft: string, text: string, owner: { uid: number; gid: number }): Promise<void> {
  const handle = await open(draft, "wx", KEY_FILE_MODE);
  try {
    await handle.writeFile(text);
    await handle.sync();
    const made = await handle.stat();
    // The server can run as another user than the command, and must still be able to read the file.
    if (made.uid !== owner.uid || made.gid !== owner.gid) await chown(draft, owner.uid, owner.gid);
  } finally {
    await handle.close();
  }
}

/** A rename survives a power cut only if the folder was flushed too. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
