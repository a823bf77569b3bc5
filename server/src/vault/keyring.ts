import type { Secret } from "../lib/secret.ts";
import { createKeyFile, findKeyFileVersion, type KeyFile, keyFilePath, readKeyFile } from "./key-file.ts";
import type { MasterKeys } from "./seal.ts";

/** The current master keys. A key that is added while the process runs is found without a restart. */
export type Keyring = {
  masterKeys(): MasterKeys;
  /** Checks the key file immediately, because a value is sealed under an unknown key. */
  reload(): void;
};

/** Every process uses a newly added key after this time. */
export const KEY_FILE_LOOK_EVERY_MS = 1_000;

/**
 * The master keys from the environment, or else from the data directory, where the first start creates one. A lost
 * key is not replaced, because a new one could not open what the database has.
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
      `the master key ${path} is missing, but this database is sealed with it; restore the file from its backup, ` +
        "or set SCRIP_MASTER_KEY to the key it contained",
    );
  }
  return followKeyFile(path, found ?? (await createKeyFile(path)), nowMs);
}

/** Keys that do not change during the life of the process. */
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

/** A missing, damaged or half-written file must not stop values from being opened. */
function tryToRead(path: string): KeyFile | undefined {
  try {
    return readKeyFile(path);
  } catch {
    return undefined;
  }
}

/** A known key stays the same object, because derived keys are cached by it. */
function withKnownKeys(found: MasterKeys, known: MasterKeys): MasterKeys {
  const keep = (key: Secret<Buffer>): Secret<Buffer> =>
    known.find((one) => one.reveal().equals(key.reveal())) ?? key;
  const [newest, ...older] = found;
  return [keep(newest), ...older.map(keep)];
}
