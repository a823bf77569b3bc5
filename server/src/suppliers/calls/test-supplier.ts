import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Money, toMoney } from "../../lib/money.ts";
import type { Keyring } from "../../vault/keyring.ts";
import { getSupplier } from "../get-supplier.ts";
import { createOpenSuppliers } from "../open-suppliers.ts";
import { storeBalance } from "../read-balances.ts";
import { getRemoteKind } from "../registry.ts";
import { type OddRow, type RemoteSupplier, SupplierUnreadable, UNREADABLE_WORDS } from "../supplier.ts";
import { sayOdd } from "./checked-reading.ts";

export type TestedSupplier = {
  id: string;
  kind: string;
  ok: boolean;
  signedIn: boolean;
  balance?: Money;
  product?: { sku: string; name: string };
  /** Accounts whose balance could not be read. */
  odd?: readonly OddRow[];
  /** Why it does not work, in our own words. */
  reason?: string;
};

const TIMEOUT_MS = 15_000;

export type TestSupplierDeps = { db: Db; clock: Clock; keyring: Keyring };

/** Signs in, reads the balance and keeps it, and lists one product. It buys nothing. */
export async function testSupplier(deps: TestSupplierDeps, id: string): Promise<TestedSupplier> {
  const { kind } = await getSupplier(deps.db, id);
  getRemoteKind(kind);
  const about = { id, kind };
  return withSupplier(deps, id, async (supplier) => {
    try {
      const product = await firstOffer(supplier);
      const found = product ? { product } : {};
      const { balance, odd = [] } = (await supplier.readBalance?.()) ?? {};
      if (!balance) {
        const [fault] = odd;
        const reason = fault ? `the balance could not be read: ${sayOdd(fault)}` : NO_BALANCE;
        return { ...about, ok: false, signedIn: product !== undefined, ...found, reason };
      }
      await storeBalance(deps.db, id, balance, deps.clock.now());
      return {
        ...about,
        ok: true,
        signedIn: true,
        balance: toMoney(balance.amountMinor, balance.currency),
        ...found,
        ...(odd.length > 0 ? { odd } : {}),
      };
    } catch (error) {
      if (!(error instanceof SupplierUnreadable)) throw error;
      const reason = UNREADABLE_WORDS.get(error.reason) ?? UNREADABLE_WORDS.get("nonsense") ?? "";
      return { ...about, ok: false, signedIn: false, reason };
    }
  }).catch((error: unknown) => {
    if (!(error instanceof SupplierUnusable)) throw error;
    return { ...about, ok: false, signedIn: false, reason: error.message };
  });
}

/** Its config cannot be opened or does not fit its kind. */
class SupplierUnusable extends RangeError {}

const NO_BALANCE =
  "the balance could not be read: the supplier gave no usable answer, or the config names an account that these credentials do not have; check the address and the credentials";

async function firstOffer(supplier: RemoteSupplier): Promise<TestedSupplier["product"]> {
  for await (const page of supplier.listOffers?.() ?? []) {
    const offer = page.find((row) => "name" in row);
    if (offer) return { sku: offer.sku, name: offer.name };
  }
  return undefined;
}

/** Opens a supplier for one piece of work, outside of the workers. */
export async function withSupplier<Result>(
  { db, keyring }: TestSupplierDeps,
  id: string,
  work: (supplier: RemoteSupplier) => Promise<Result>,
): Promise<Result> {
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
    if (!opened) throw new SupplierUnusable(`the supplier cannot be called: ${unusable}`);
    return await work(opened.supplier);
  } finally {
    await suppliers.close();
  }
}
