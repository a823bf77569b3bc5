import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { type Json, JsonError } from "../lib/strict-json.ts";
import type { Keyring } from "../vault/keyring.ts";
import { SealError } from "../vault/seal.ts";
import { getSupplier, noSupplier } from "./get-supplier.ts";
import {
  countOpenPurchases,
  findSupplierByName,
  lockSupplierConfig,
  type SupplierRow,
  updateSupplier,
} from "./queries.ts";
import { getRemoteKind } from "./registry.ts";
import { checkRate, checkSupplierName, nameTaken } from "./store-supplier.ts";
import { sealSupplierConfig, unsealSupplierConfig } from "./supplier-config.ts";
import type { RemoteKind, SupplierAccount } from "./supplier-kind.ts";

export type ChangeSupplierInput = {
  name: string | undefined;
  ratePerSecond: number | undefined;
  /** New address or credentials of a supplier that is called. */
  config: Json | undefined;
  /** The operator says that the new config buys from the same account as the old one. */
  isSameAccount?: boolean;
};

/** Changes what is given; routes, stock and open purchases stay with the supplier. */
export async function changeSupplier(
  { db, keyring }: { db: Db; keyring: Keyring },
  id: string,
  input: ChangeSupplierInput,
  recorded?: { clock: Clock; by: By },
): Promise<SupplierRow> {
  const { config, isSameAccount = false } = input;
  const { kind } = await getSupplier(db, id);
  const name = input.name === undefined ? undefined : checkSupplierName(input.name);
  const other = name === undefined ? undefined : await findSupplierByName(db, name);
  if (other && other.id !== id) throw nameTaken(other.name);
  const remote = config === undefined ? undefined : getRemoteKind(kind);
  remote?.parseConfig(config);
  const change = {
    name,
    ratePerSecond: input.ratePerSecond === undefined ? undefined : checkRate(input.ratePerSecond),
    sealedConfig: config === undefined ? undefined : sealSupplierConfig(keyring, id, config),
  };
  const row = await db.transaction(async (tx) => {
    if (remote && config !== undefined && !isSameAccount)
      await refuseOtherAccount(tx, keyring, { id, kind: remote, config });
    const changed = await updateSupplier(tx, id, change);
    if (changed && recorded) await recordChange(tx, recorded, input, changed);
    return changed;
  });
  if (!row) throw noSupplier(id);
  return row;
}

/** What was changed, and of the config only that it is a new one. */
const recordChange = (
  tx: Tx,
  { clock, by }: { clock: Clock; by: By },
  { name, ratePerSecond, config, isSameAccount = false }: ChangeSupplierInput,
  { id }: SupplierRow,
): Promise<void> =>
  recordActivity(tx, clock, {
    ...by,
    action: "supplier.changed",
    object: { kind: "supplier", id },
    after: {
      ...(name === undefined ? {} : { name }),
      ...(ratePerSecond === undefined ? {} : { ratePerSecond }),
      ...(config === undefined ? {} : { config: "replaced", isSameAccount }),
    },
  });

/**
 * A purchase without an outcome is looked up under its reference. Another account does not know it and would sell it a
 * second time. So the account changes only while no purchase is open, and the address only while nothing is bought.
 * Purchases are opened under a lock of the supplier's row, so none appears between the count and the change.
 */
async function refuseOtherAccount(
  tx: Tx,
  keyring: Keyring,
  { id, kind, config }: { id: string; kind: RemoteKind; config: Json },
): Promise<void> {
  const state = await lockSupplierConfig(tx, id);
  if (!state) throw noSupplier(id);
  const present = accountOf(kind, keyring, { id, sealedConfig: state.sealedConfig });
  const next = kind.accountOf(config);
  const isSame = present && next && present.address === next.address && present.holder === next.holder;
  if (isSame) return;
  if (present?.address !== next?.address && state.enabled)
    throw new RangeError(
      `to change the address, first run: scrip supplier disable ${id}; if the account stays the same, add --same-account`,
    );
  const open = await countOpenPurchases(tx, id);
  if (open > 0)
    throw new RangeError(
      `${open} purchase(s) have no outcome yet, and another account does not know them: they would be bought again. ` +
        "Wait until they end (see: scrip order list --unknown), or add --same-account if the new config belongs to the same account",
    );
}

/** Undefined when the present config does not open: then nobody can tell which account it was. */
function accountOf(
  kind: RemoteKind,
  keyring: Keyring,
  supplier: { id: string; sealedConfig: Uint8Array },
): SupplierAccount | undefined {
  try {
    return kind.accountOf(unsealSupplierConfig(keyring, supplier));
  } catch (error) {
    if (error instanceof SealError || error instanceof JsonError) return undefined;
    throw error;
  }
}
