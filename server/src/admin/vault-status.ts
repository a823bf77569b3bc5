import type { Queryable } from "../db/database.ts";
import type { CodeVault } from "../vault/code-vault.ts";
import type { Keyring } from "../vault/keyring.ts";
import { keyIdOf, type MasterKeys } from "../vault/seal.ts";
import { countSealed } from "./rotate-queries.ts";
import { type SealedKind, type SealedStore, sealedStores } from "./sealed-stores.ts";
import { waitForWriters } from "./wait-for-writers.ts";

export type KeyStatus = {
  /** Identifies a key without revealing it. */
  id: string;
  /** The key's position among the available keys, from 1. Absent if the key is not available. */
  position?: number;
  newest: boolean;
  values: Record<SealedKind, number>;
  /** Nothing is sealed under this key any more. Backups may still need it. */
  removable: boolean;
};

export type VaultStatus = {
  newest: string;
  keys: KeyStatus[];
  /** Values without the prefix of a sealed value. */
  unreadable: number;
  /** False while an open transaction may have values that are not visible yet. Then no key is removable. */
  settled: boolean;
};

const WRITERS_PATIENCE_MS = 5_000;

/** Reports what is sealed under which key, without opening anything. */
export async function readVaultStatus(
  db: Queryable,
  deps: { keyring: Keyring; codeVault: CodeVault },
  patienceMs: number = WRITERS_PATIENCE_MS,
): Promise<VaultStatus> {
  const stores = sealedStores(deps);
  const settled = await waitForWriters(db, patienceMs);
  const masterKeys = deps.keyring.masterKeys();
  const newest = keyIdOf(masterKeys[0]).toString("hex");
  const counts = new Map(masterKeys.map((key) => [keyIdOf(key).toString("hex"), noValues()]));
  let unreadable = 0;
  for (const store of stores) {
    for (const group of await countByKey(db, store, masterKeys)) {
      if (group.keyId === undefined) unreadable += group.count;
      else countsOf(counts, group.keyId)[store.kind] += group.count;
    }
  }
  const keys = [...counts].map(([id, values]): KeyStatus => {
    const used = Object.values(values).some((count) => count > 0);
    const position = masterKeys.findIndex((key) => keyIdOf(key).toString("hex") === id) + 1;
    return {
      id,
      ...(position > 0 ? { position } : {}),
      newest: id === newest,
      values,
      removable: settled && position > 1 && !used,
    };
  });
  return { newest, keys, unreadable, settled };
}

const noValues = (): Record<SealedKind, number> => ({
  codes: 0,
  supplierConfigs: 0,
  webhookSecrets: 0,
  totpSecrets: 0,
  uploads: 0,
  serverSecrets: 0,
});

function countsOf(counts: Map<string, Record<SealedKind, number>>, id: string): Record<SealedKind, number> {
  const found = counts.get(id) ?? noValues();
  counts.set(id, found);
  return found;
}

async function countByKey(
  db: Queryable,
  store: SealedStore,
  masterKeys: MasterKeys,
): Promise<{ keyId: string | undefined; count: number }[]> {
  const newest = store.prefix(masterKeys);
  const groups = await countSealed(db, store.column, newest.length);
  return groups.map(({ prefix, count }) => {
    const isSealed = prefix.length === newest.length && prefix[0] === newest[0];
    return { keyId: isSealed ? prefix.subarray(1).toString("hex") : undefined, count };
  });
}
