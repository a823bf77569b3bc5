import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { lastDays } from "./sum-resellers.ts";
import { sumMarginRows } from "./tenant-queries.ts";

/**
 * What a reseller's ended orders brought in the last days, less what they cost, in its own currency. Undefined where nothing was
 * delivered whose cost is in that currency.
 */
export async function sumMargin(
  db: Queryable,
  tenant: Tenant,
  { currency, now, days }: { currency: string; now: Date; days: number },
): Promise<bigint | undefined> {
  const [row] = await sumMarginRows(db, tenant, currency, lastDays(now, days));
  return row?.marginMinor ?? undefined;
}
