import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Money, toMoney } from "../../lib/money.ts";
import type { Keyring } from "../../vault/keyring.ts";
import { getSupplier } from "../get-supplier.ts";
import { createOpenSuppliers } from "../open-suppliers.ts";
import { getRemoteKind } from "../registry.ts";

export type TestedSupplier = {
  id: string;
  kind: string;
  ok: boolean;
  balance?: Money;
  /** Why it does not work, in our own words. */
  reason?: string;
};

const TIMEOUT_MS = 15_000;
const NO_BALANCE =
  "the supplier gave no usable answer about the balance; check the address and the credentials";

/** Signs in and reads the balance. It buys nothing. */
export async function testSupplier(
  { db, keyring }: { db: Db; clock: Clock; keyring: Keyring },
  id: string,
): Promise<TestedSupplier> {
  const { kind } = await getSupplier(db, id);
  getRemoteKind(kind);
  let unusable = "its config does not open with this master key";
  const suppliers = createOpenSuppliers({
    db,
    keyring,
    timeoutMs: TIMEOUT_MS,
    onUnusable: (reason) => {
      unusable = reason;
    },
  });
  try {
    const opened = await suppliers.open(id);
    if (!opened) return { id, kind, ok: false, reason: `the supplier cannot be called: ${unusable}` };
    const balance = await opened.supplier.readBalance?.();
    return balance
      ? { id, kind, ok: true, balance: toMoney(balance.amountMinor, balance.currency) }
      : { id, kind, ok: false, reason: NO_BALANCE };
  } finally {
    await suppliers.close();
  }
}
