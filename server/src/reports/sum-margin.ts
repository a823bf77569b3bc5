import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";

const HOUR_MS = 3_600_000;
const HOURS_PER_DAY = 24;

/**
 * What a reseller's ended orders brought in so many days until now, less what they cost, in its own currency. Undefined where
 * nothing was delivered whose cost is in that currency. Each hour is one look into the key of the roll-up, so the cost does not
 * depend on the number of resellers.
 */
export async function sumMargin(
  db: Queryable,
  tenant: Tenant,
  { currency, now, days }: { currency: string; now: Date; days: number },
): Promise<bigint | undefined> {
  const last = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
  const first = new Date(last.getTime() - days * HOURS_PER_DAY * HOUR_MS);
  const [row] = await db.rows<{ marginMinor: bigint | null }>(sql`
    select sum(s.delivered_minor - s.returned_minor - s.cost_minor)::bigint as "marginMinor"
    from generate_series(${first}::timestamptz, ${last}::timestamptz, interval '1 hour') hours (at)
    cross join lateral (
      select delivered_minor, returned_minor, cost_minor from report_slices
      where dimension = 'reseller' and environment = ${tenant.environment} and at = hours.at
        and member = ${tenant.resellerId} and currency = ${currency} and cost_currency = ${currency}
    ) s`);
  return row?.marginMinor ?? undefined;
}
