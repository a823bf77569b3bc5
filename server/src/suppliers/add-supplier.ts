import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { idsOf } from "../lib/ids.ts";
import type { Json } from "../lib/strict-json.ts";
import type { Keyring } from "../vault/keyring.ts";
import type { SupplierRow } from "./queries.ts";
import { getKind } from "./registry.ts";
import { storeSupplier } from "./store-supplier.ts";
import { sealSupplierConfig } from "./supplier-config.ts";

export type AddSupplierInput = {
  kind: string;
  name: string;
  ratePerSecond: number;
  /** Address and credentials of a supplier that is called; own stock has none. */
  config: Json | undefined;
};

/** A supplier as the operator adds it. Its config is sealed, and nothing prints it again. Who did it is recorded where known. */
export async function addSupplier(
  deps: { db: Db; clock: Clock; keyring: Keyring },
  { kind, name, ratePerSecond, config }: AddSupplierInput,
  by?: By,
): Promise<SupplierRow> {
  checkConfig(kind, config);
  const createdAt = deps.clock.now();
  const id = idsOf(deps.clock)("sup");
  const sealedConfig = config === undefined ? null : sealSupplierConfig(deps.keyring, id, config);
  return deps.db.transaction(async (tx) => {
    const row = await storeSupplier(tx, { id, kind, name, ratePerSecond, sealedConfig, createdAt });
    if (by)
      await recordActivity(tx, deps.clock, {
        ...by,
        action: "supplier.added",
        object: { kind: "supplier", id },
        after: { kind, name: row.name, ratePerSecond },
      });
    return row;
  });
}

function checkConfig(name: string, config: Json | undefined): void {
  const kind = getKind(name);
  if (kind.hasOwnStock) {
    if (config !== undefined) throw new RangeError(`a ${name} supplier takes no config`);
    return;
  }
  if (config === undefined) throw new RangeError(`a ${name} supplier needs a config`);
  kind.parseConfig(config);
}
