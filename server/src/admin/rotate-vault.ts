import { setTimeout as wait } from "node:timers/promises";
import type { Db } from "../db/database.ts";
import type { CodeVault } from "../vault/code-vault.ts";
import type { Keyring } from "../vault/keyring.ts";
import { keyIdOf, SealError } from "../vault/seal.ts";
import { countSealed, type Replacement, replaceSealed } from "./rotate-queries.ts";
import { type PlacedRow, type SealedKind, type SealedStore, sealedStores } from "./sealed-stores.ts";
import { waitForWriters } from "./wait-for-writers.ts";

export type RotateDeps = { db: Db; keyring: Keyring; codeVault: CodeVault };

export type RotateOptions = {
  onProgress?: (done: number, total: number) => void;
  /** How long to wait for rows and transactions that others keep open. */
  patienceMs?: number;
};

export type Rotated = {
  /** The id of the newest master key. */
  key: string;
  rewrapped: number;
  /** How many values already used the newest key. */
  current: number;
  failed: number;
  /**
   * False if some rows were locked, or if an open transaction may still write under an older key. Then run it again.
   */
  complete: boolean;
  /** The first values that did not open. */
  failures: { kind: SealedKind; id: string }[];
};

const BATCH_ROWS = 200;
const PATIENCE_MS = 60_000;
const HELD_ROWS_PAUSE_MS = 50;
const FAILURES_NAMED_MAX = 100;

/**
 * Moves all sealed values to the newest master key during concurrent reads and writes. It can be killed at any time
 * and run again: each value is under one of the keys, and all keys are available.
 */
export async function rotateVault(deps: RotateDeps, options: RotateOptions = {}): Promise<Rotated> {
  const { onProgress = () => {}, patienceMs = PATIENCE_MS } = options;
  const stores = sealedStores(deps);
  const { current, outdated } = await count(deps, stores);
  const failures = new Map<string, { kind: SealedKind; id: string }>();
  const rotation: Rotation = { ...deps, patienceMs, failures, rewrapped: 0, onBatch: () => {} };
  rotation.onBatch = () => onProgress(Math.min(rotation.rewrapped, outdated), outdated);

  const first = await rewrapAll(rotation, stores);
  // The second pass sees what was being written under an older key during the first.
  const settled = await waitForWriters(deps.db, patienceMs);
  const second = await rewrapAll(rotation, stores);
  return {
    key: keyIdOf(deps.keyring.masterKeys()[0]).toString("hex"),
    rewrapped: rotation.rewrapped,
    current,
    failed: failures.size,
    complete: first && settled && second,
    failures: [...failures.values()].slice(0, FAILURES_NAMED_MAX),
  };
}

type Rotation = RotateDeps & {
  patienceMs: number;
  failures: Map<string, { kind: SealedKind; id: string }>;
  rewrapped: number;
  onBatch: () => void;
};

async function count({ db, keyring }: RotateDeps, stores: readonly SealedStore[]) {
  let [current, outdated] = [0, 0];
  for (const store of stores) {
    const prefix = store.prefix(keyring.masterKeys());
    for (const group of await countSealed(db, store.column, prefix.length)) {
      if (group.prefix.equals(prefix)) current += group.count;
      else outdated += group.count;
    }
  }
  return { current, outdated };
}

/** Returns false if some rows stayed locked longer than the time limit. */
async function rewrapAll(rotation: Rotation, stores: readonly SealedStore[]): Promise<boolean> {
  let complete = true;
  for (const store of stores) complete = (await rewrapStore(rotation, store)) && complete;
  return complete;
}

/** Rows that others locked or changed in the meantime are retried in another pass. */
async function rewrapStore(rotation: Rotation, store: SealedStore): Promise<boolean> {
  let deadlineMs = performance.now() + rotation.patienceMs;
  for (;;) {
    const { replaced, missed } = await rewrapPass(rotation, store);
    if (missed === 0) return true;
    if (replaced > 0) deadlineMs = performance.now() + rotation.patienceMs;
    if (performance.now() > deadlineMs) return false;
    await wait(HELD_ROWS_PAUSE_MS);
  }
}

async function rewrapPass(
  rotation: Rotation,
  store: SealedStore,
): Promise<{ replaced: number; missed: number }> {
  const { db, keyring } = rotation;
  let [after, replaced, missed] = ["", 0, 0];
  for (;;) {
    const prefix = store.prefix(keyring.masterKeys());
    const rows = await store.listOutdated(db, { prefix, after, limit: BATCH_ROWS });
    const last = rows.at(-1);
    if (!last) return { replaced, missed };
    after = last.id;
    const replacements = rows.flatMap((row) => rewrapRow(rotation, store, row));
    const done = replacements.length > 0 ? await replaceSealed(db, store.column, replacements) : [];
    replaced += done.length;
    missed += replacements.length - done.length;
    rotation.rewrapped += done.length;
    rotation.onBatch();
  }
}

function rewrapRow(
  { failures }: Rotation,
  { kind, rewrap }: SealedStore,
  { id, place, sealed }: PlacedRow,
): Replacement[] {
  try {
    const after = rewrap(place, sealed);
    failures.delete(`${kind}:${id}`);
    return after ? [{ id, before: sealed, after }] : [];
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    failures.set(`${kind}:${id}`, { kind, id });
    return [];
  }
}
