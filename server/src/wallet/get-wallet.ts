import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { findWallet } from "./queries.ts";

/** What the wallet can spend now. Every reseller has one wallet in each environment. */
export async function getWallet(
  db: Queryable,
  tenant: Tenant,
): Promise<{ balanceMinor: bigint; currency: string }> {
  const wallet = await findWallet(db, tenant);
  if (!wallet) throw new Error("a reseller has no wallet");
  return wallet;
}
