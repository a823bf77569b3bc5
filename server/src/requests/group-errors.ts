import type { Db } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { firstIdAt, timeOfId } from "../lib/ids.ts";
import { groupErrorRows } from "./group-queries.ts";
import { KEPT_DAYS } from "./partitions.ts";

export type ErrorGroup = {
  status: number;
  errorCode: string;
  method: string;
  count: number;
  lastId: string;
  lastAt: Date;
};

/** How many of the newest requests are looked through, so that the cost does not grow with the traffic. */
export const GROUPED_MAX = 2_000;
const DAY_MS = 86_400_000;

/** The errors among the reseller's newest requests, the most frequent first. */
export async function groupErrors(
  db: Db,
  tenant: Tenant,
  now: Date,
): Promise<{ groups: ErrorGroup[]; examined: number; failed: number }> {
  const fromId = firstIdAt("req", now.getTime() - KEPT_DAYS * DAY_MS);
  const rows = await groupErrorRows(db, tenant, fromId, GROUPED_MAX);
  const groups = rows.flatMap(({ status, errorCode, method, count, lastId }) =>
    errorCode === null || status === null || method === null || lastId === null
      ? []
      : [{ status, errorCode, method, count, lastId, lastAt: new Date(timeOfId(lastId)) }],
  );
  return {
    groups,
    examined: rows[0]?.examined ?? 0,
    failed: groups.reduce((sum, { count }) => sum + count, 0),
  };
}
