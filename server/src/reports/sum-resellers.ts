import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { type ResellerSales, sumResellerRows } from "./tenant-queries.ts";

export type { ResellerSales };

const DAY_MS = 86_400_000;

/** The sales of these resellers in so many days until now, as far as the roll-ups have counted. Those without any are left out. */
export async function sumResellers(
  db: Queryable,
  environment: Tenant["environment"],
  resellerIds: readonly string[],
  { now, days }: { now: Date; days: number },
): Promise<ReadonlyMap<string, ResellerSales>> {
  if (resellerIds.length === 0) return new Map();
  const span = { first: new Date(now.getTime() - days * DAY_MS), end: now };
  const rows = await sumResellerRows(db, environment, resellerIds, span);
  return new Map(rows.map((row) => [row.resellerId, row]));
}
