import { rename, writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { lockKeyFile } from "../../server/src/admin/rotate-queries.ts";
import { rotateVault } from "../../server/src/admin/rotate-vault.ts";
import { readVaultStatus } from "../../server/src/admin/vault-status.ts";
import { addMasterKey } from "../../server/src/vault/add-master-key.ts";
import { formatKeys, KEY_FILE_MODE, keyFilePath } from "../../server/src/vault/key-file.ts";
import { keyIdOf, type MasterKeys } from "../../server/src/vault/seal.ts";
import { createRandom } from "../../server/testing/seed.ts";
import type { World } from "../world.ts";
import { noteUnforeseen } from "./operators.ts";
import type { Actor } from "./placers.ts";

const PAUSE_MAX_MS = 90_000;
const STEP_MS = 250;
const PATIENCE_MS = 10_000;

/** The operator adds master keys, moves everything to them and removes the old ones, as `scrip vault` does, while orders run. */
export const rotateMasterKeys: Actor = async (world, _accounts, recorder, weather) => {
  const { keysDir } = world;
  if (keysDir === undefined) return;
  const random = createRandom(weather.seed + 10_000);
  while (weather.isStormy) {
    const restUntilMs = performance.now() + random.below(PAUSE_MAX_MS);
    while (weather.isStormy && performance.now() < restUntilMs) await wait(STEP_MS);
    if (!weather.isStormy) return;
    try {
      await addMasterKey(keyFilePath(keysDir), { exclusively: (work) => exclusively(world, work), wait });
      world.keyring.reload();
      recorder.counts.masterKeys += 1;
      const rotated = await rotateVault(world, { patienceMs: PATIENCE_MS });
      recorder.counts.rewrapped += rotated.rewrapped;
      for (const { kind, id } of rotated.failures)
        recorder.contradictions.push(`${kind} ${id} cannot be decrypted`);
      recorder.counts.removedKeys += await removeOldKeys(world, keyFilePath(keysDir));
    } catch (error) {
      noteUnforeseen(recorder, error);
    }
  }
};

const exclusively = <T>({ db }: World, work: () => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await lockKeyFile(tx);
    return work();
  });

/** Removes the keys that `scrip vault status` calls no longer needed. */
async function removeOldKeys(world: World, path: string): Promise<number> {
  const { keys } = await readVaultStatus(world.db, world);
  const removable = new Set(keys.filter((key) => key.removable).map(({ id }) => id));
  return exclusively(world, async () => {
    world.keyring.reload();
    const all = world.keyring.masterKeys();
    const kept = all.filter((key) => !removable.has(keyIdOf(key).toString("hex")));
    await writeFile(`${path}.kept`, formatKeys(kept as unknown as MasterKeys), { mode: KEY_FILE_MODE });
    await rename(`${path}.kept`, path);
    return all.length - kept.length;
  });
}
