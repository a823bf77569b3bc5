import type { Db, Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { minorUnitExponent } from "../lib/currencies.ts";
import { idsOf } from "../lib/ids.ts";
import { appendEntry, emptyHead } from "./entry.ts";
import { insertEntry, insertWallet, listResellersWithoutWallets } from "./queries.ts";

/** The initial balance of a test wallet, in major units of its currency (CONTRACT 7). */
const TEST_FUNDS_MAJOR = 1_000_000n;

/** Opens a reseller's two wallets: the live one empty, the test one funded. Existing wallets are unchanged. */
export async function openWallets(
  tx: Tx,
  clock: Clock,
  reseller: { id: string; currency: string },
): Promise<void> {
  await insertWallet(tx, emptyHead({ resellerId: reseller.id, environment: "live" }, reseller.currency));
  const now = clock.now();
  const funded = appendEntry(emptyHead({ resellerId: reseller.id, environment: "test" }, reseller.currency), {
    id: idsOf(clock)("ent"),
    type: "deposit",
    amountMinor: TEST_FUNDS_MAJOR * 10n ** BigInt(minorUnitExponent(reseller.currency)),
    orderId: null,
    note: "Test funds",
    createdAt: now,
  });
  if (!funded) throw new Error("the test funds exceed the maximum balance");
  if (await insertWallet(tx, funded.head)) await insertEntry(tx, funded.entry);
}

/** For resellers created before wallets existed. Several servers can run this at the same time. */
export async function openMissingWallets(db: Db, clock: Clock): Promise<void> {
  await db.transaction(async (tx) => {
    for (const reseller of await listResellersWithoutWallets(tx)) await openWallets(tx, clock, reseller);
  });
}
