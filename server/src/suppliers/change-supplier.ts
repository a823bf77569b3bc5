import type { Db } from "../db/database.ts";
import type { Json } from "../lib/strict-json.ts";
import type { Keyring } from "../vault/keyring.ts";
import { getSupplier, noSupplier } from "./get-supplier.ts";
import { findSupplierByName, readSupplierConfigState, type SupplierRow, updateSupplier } from "./queries.ts";
import { assertSupplierConfig } from "./scrip/scrip-config.ts";
import { checkRate, checkSupplierName, nameTaken } from "./store-supplier.ts";
import { findSupplierAddress, sealSupplierConfig } from "./supplier-config.ts";

export type ChangeSupplierInput = {
  name: string | undefined;
  ratePerSecond: number | undefined;
  /** A new address or key of a supplier that is called. */
  config: Json | undefined;
};

/** Changes what is given; routes, stock and purchases under way stay with it. */
export async function changeSupplier(
  { db, keyring }: { db: Db; keyring: Keyring },
  id: string,
  input: ChangeSupplierInput,
): Promise<SupplierRow> {
  const { kind } = await getSupplier(db, id);
  if (kind === "stock" && input.config !== undefined)
    throw new RangeError("a stock supplier takes no config");
  const name = input.name === undefined ? undefined : checkSupplierName(input.name);
  const other = name === undefined ? undefined : await findSupplierByName(db, name);
  if (other && other.id !== id) throw nameTaken(other.name);
  if (input.config !== undefined) await refuseOtherSeller({ db, keyring }, id, input.config);
  const row = await updateSupplier(db, id, {
    name,
    ratePerSecond: input.ratePerSecond === undefined ? undefined : checkRate(input.ratePerSecond),
    sealedConfig: input.config === undefined ? undefined : sealSupplierConfig(keyring, id, input.config),
  });
  if (!row) throw noSupplier(id);
  return row;
}

/**
 * A purchase without an outcome is asked for under its reference. Another address does not know it, and would sell a second
 * time: so the address changes only while nothing is bought there and nothing is open.
 */
async function refuseOtherSeller(
  { db, keyring }: { db: Db; keyring: Keyring },
  id: string,
  config: Json,
): Promise<void> {
  const state = await readSupplierConfigState(db, id);
  if (!state) throw noSupplier(id);
  const { baseUrl } = assertSupplierConfig(config);
  const present = findSupplierAddress(keyring, { id, sealedConfig: state.sealedConfig });
  if (new URL(baseUrl).href === present) return;
  if (state.enabled) throw new RangeError(`to change the address, first run: scrip supplier disable ${id}`);
  if (state.openAttempts > 0)
    throw new RangeError(
      `${state.openAttempts} purchase(s) there have no outcome yet, and only the present address knows them; see: scrip order list --unknown`,
    );
}
