import { randomBytes } from "node:crypto";
import { chown, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type Secret, secret } from "../lib/secret.ts";
import { formatKeys, KEY_FILE_MODE, MASTER_KEY_BYTES, readKeyFile } from "./key-file.ts";
import { KEY_FILE_LOOK_EVERY_MS } from "./keyring.ts";
import { findKey, keyIdOf, type MasterKeys } from "./seal.ts";

export type AddKeyDeps = {
  /** Runs one change of the file at a time, whichever processes want to. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  wait: (ms: number) => Promise<void>;
};

/** After this every running process has seen a change of the file. */
export const KEY_FILE_SETTLE_MS = KEY_FILE_LOOK_EVERY_MS + 250;

/**
 * Makes a master key and lets all running processes go over to it. The key is first put last, where it opens and does
 * not seal: by the time it seals, everybody can open what it has sealed, and a power cut cannot take it away again.
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
  if (keys.length >= KEYS_MAX) throw new Error(`${path} holds ${KEYS_MAX} keys; remove unused ones first`);
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
  // Values name their key by four bytes of a hash: two keys of one name could not be told apart.
  return findKey(known, keyIdOf(key)) ? makeKey(known) : key;
}

/** The file is replaced by a whole one at once, for the same owner; whoever reads it sees the old keys or the new. */
async function replaceKeyFile(path: string, keys: MasterKeys): Promise<void> {
  // One change at a time has this name to itself, so that what a killed one left behind does not pile up.
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
    // The server may run as another user than the operator's command, and has to read the file all the same.
    if (made.uid !== owner.uid || made.gid !== owner.gid) await chown(draft, owner.uid, owner.gid);
  } finally {
    await handle.close();
  }
}

/** A renamed file is where it should be after a power cut only when its folder was written too. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
