import sql from "sql-template-tag";
import type { Db } from "../db/database.ts";
import type { Keyring } from "../vault/keyring.ts";
import { SealError } from "../vault/seal.ts";
import { createScripSupplier } from "./scrip/scrip-supplier.ts";
import type { RemoteSupplier } from "./supplier.ts";
import { openSupplierConfig } from "./supplier-config.ts";

/** `hasFailed`: its circuit breaker remembers failures, so that an answer is news to it. */
export type OpenedSupplier = { supplier: RemoteSupplier; hasFailed: boolean };

/**
 * Opens a supplier for one call; undefined when its settings are gone, do not open or are refused. They are read each time, so that a
 * new key or address holds at once.
 */
export async function openSupplier(
  db: Db,
  keyring: Keyring,
  supplierId: string,
  timeoutMs: number,
  onUnusable: (reason: string) => void = () => {},
): Promise<OpenedSupplier | undefined> {
  const [row] = await db.rows<{ sealedConfig: Buffer | null; hasFailed: boolean }>(
    sql`
      select sealed_config as "sealedConfig", consecutive_failures > 0 or open_until is not null as "hasFailed"
      from suppliers where id = ${supplierId}`,
    { name: "open-supplier" },
  );
  if (!row?.sealedConfig) return undefined;
  try {
    const { baseUrl, apiKey } = openSupplierConfig(keyring, {
      id: supplierId,
      sealedConfig: row.sealedConfig,
    });
    return { supplier: createScripSupplier({ baseUrl, apiKey, timeoutMs }), hasFailed: row.hasFailed };
  } catch (error) {
    if (error instanceof SealError) return undefined;
    if (!(error instanceof RangeError)) throw error;
    // A config that is refused now, such as one with a plain http address from before those were refused.
    onUnusable(error.message);
    return undefined;
  }
}
