import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { type ResellerSales, sumResellerRows } from "./tenant-queries.ts";

export type { ResellerSales };

const DAY_MS = 86_400_000;

/** So many days in UTC, of which today is the last. */
export function lastDays(now: Date, days: number): { first: Date; end: Date } {
  const today = Math.floor(now.getTime() / DAY_MS);
  return { first: new Date((today + 1 - days) * DAY_MS), end: new Date((today + 1) * DAY_MS) };
}

/** The sales of these resellers in the last days, as far as the roll-ups have counted. Those without any are left out. */
export async function sumResellers(
  db: Queryable,
  environment: Tenant["environment"],
  resellerIds: readonly string[],
  { now, days }: { now: Date; days: number },
): Promise<ReadonlyMap<string, ResellerSales>> {
  if (resellerIds.length === 0) return new Map();
  const rows = await sumResellerRows(db, environment, resellerIds, lastDays(now, days));
  return new Map(rows.map((row) => [row.resellerId, row]));
}
