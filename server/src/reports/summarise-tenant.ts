import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { listTenantDays, listTenantTimes, type TenantDayRow } from "./tenant-queries.ts";
import { percentileMs } from "./time-classes.ts";

export type TenantDay = Pick<TenantDayRow, "day" | "orders" | "refunds" | "spentMinor">;

export type TenantSummary = {
  /** Oldest first, each day in UTC. What was spent is what orders cost, less what was refunded. */
  days: readonly TenantDay[];
  /** Orders that ended in these days: completed, also in part; */
  completed: number;
  /** of those, with some units refunded because they could not be delivered; */
  partial: number;
  /** and those of which nothing could be delivered. */
  failed: number;
  /** From acceptance to completion, as bounds that so many stayed within. */
  medianMs: number | null;
  p95Ms: number | null;
  /** More is left to count than could be added: the newest orders are missing. */
  isBehind: boolean;
};

const DAY_MS = 86_400_000;

/** How it went for a tenant in so many days from this one on. It costs the same whatever the number of orders. */
export async function summariseTenant(
  db: Queryable,
  tenant: Tenant,
  first: Date,
  days: number,
): Promise<TenantSummary> {
  const span = { first, end: new Date(first.getTime() + days * DAY_MS) };
  const [rows, times] = await Promise.all([
    listTenantDays(db, tenant, span),
    listTenantTimes(db, tenant, span),
  ]);
  const total = (of: "completed" | "completedInPart" | "failed"): number =>
    rows.reduce((sum, row) => sum + row[of], 0);
  const partial = total("completedInPart");
  return {
    days: rows,
    completed: total("completed") + partial,
    partial,
    failed: total("failed"),
    medianMs: percentileMs(times, 50) ?? null,
    p95Ms: percentileMs(times, 95) ?? null,
    isBehind: rows.some(({ isBehind }) => isBehind),
  };
}
