import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import type { Json } from "../lib/strict-json.ts";
import type { Keyring } from "../vault/keyring.ts";
import type { SupplierKind, SupplierRow } from "./queries.ts";
import { storeSupplier } from "./store-supplier.ts";
import { sealSupplierConfig } from "./supplier-config.ts";

export type AddSupplierInput = {
  kind: SupplierKind;
  name: string;
  ratePerSecond: number;
  /** Address and key of a supplier that is called; stock has none. */
  config: Json | undefined;
};

/** A supplier as the operator adds it. Its config is sealed, and nothing prints it again. */
export async function addSupplier(
  deps: { db: Db; clock: Clock; keyring: Keyring },
  { kind, name, ratePerSecond, config }: AddSupplierInput,
): Promise<SupplierRow> {
  const createdAt = deps.clock.now();
  const id = newId("sup", createdAt.getTime());
  if (kind === "stock" && config !== undefined) throw new RangeError("a stock supplier takes no config");
  if (kind === "scrip" && config === undefined) throw new RangeError("a scrip supplier needs a config");
  const sealedConfig = config === undefined ? null : sealSupplierConfig(deps.keyring, id, config);
  return storeSupplier(deps.db, { id, kind, name, ratePerSecond, sealedConfig, createdAt });
}
