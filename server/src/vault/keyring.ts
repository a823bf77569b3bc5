import type { Secret } from "../lib/secret.ts";
import { createKeyFile, findKeyFileVersion, type KeyFile, keyFilePath, readKeyFile } from "./key-file.ts";
import type { MasterKeys } from "./seal.ts";

/** The master keys as they are now: a key that was added while the process runs is found without a restart. */
export type Keyring = {
  masterKeys(): MasterKeys;
  /** Looks at the key file at once, because something was met that is sealed under a key not known here. */
  reload(): void;
};

/** A key that was added to the file is used by every process after this time. */
export const KEY_FILE_LOOK_EVERY_MS = 1_000;

/**
 * The master keys of the environment, or else those kept in the data directory, where the first start makes one. A key that
 * is lost is not replaced: a new one would open nothing of what the database holds.
 */
export async function openKeyring(
  configured: readonly Secret<Buffer>[],
  dataDir: string,
  { mayCreate = true, nowMs = () => performance.now() }: { mayCreate?: boolean; nowMs?: () => number } = {},
): Promise<Keyring> {
  const [newest, ...older] = configured;
  if (newest) return fixedKeyring([newest, ...older]);
  const path = keyFilePath(dataDir);
  const found = readKeyFile(path);
  if (!found && !mayCreate) {
    throw new Error(
      `the master key ${path} is missing, and this database is sealed under it; restore that file from its backup, ` +
        "or set SCRIP_MASTER_KEY to the key that it held",
    );
  }
  return followKeyFile(path, found ?? (await createKeyFile(path)), nowMs);
}

/** Keys that stay as they are for the life of the process. */
export const fixedKeyring = (keys: MasterKeys): Keyring => ({ masterKeys: () => keys, reload: () => {} });

function followKeyFile(path: string, initial: KeyFile, nowMs: () => number): Keyring {
  let { keys, version } = initial;
  let lookedAtMs = nowMs();
  const reload = (): void => {
    lookedAtMs = nowMs();
    if (findKeyFileVersion(path) === version) return;
    const found = tryToRead(path);
    if (!found) return;
    keys = withKnownKeys(found.keys, keys);
    version = found.version;
  };
  return {
    masterKeys() {
      if (nowMs() - lookedAtMs >= KEY_FILE_LOOK_EVERY_MS) reload();
      return keys;
    },
    reload,
  };
}

/** A file that is gone, damaged or half written is no reason to stop opening what could be opened a moment ago. */
function tryToRead(path: string): KeyFile | undefined {
  try {
    return readKeyFile(path);
  } catch {
    return undefined;
  }
}

/** A key that is known stays the same object, because what was derived from it is kept by that. */
function withKnownKeys(found: MasterKeys, known: MasterKeys): MasterKeys {
  const keep = (key: Secret<Buffer>): Secret<Buffer> =>
    known.find((one) => one.reveal().equals(key.reveal())) ?? key;
  const [newest, ...older] = found;
  return [keep(newest), ...older.map(keep)];
}
