import type { Db } from "../db/database.ts";
import { keepTimePartitions } from "../db/time-partitions.ts";

/** How long a request stays in the log. */
export const KEPT_DAYS = 14;

/** Creates the partitions of today and the days around it, then drops the old ones. Safe to run in many processes at once. */
export const keepPartitions = (db: Db, now: Date): Promise<void> =>
  keepTimePartitions(
    db,
    { table: "api_requests", key: "id", prefix: "req", days: 1, daysAhead: 2, keptDays: KEPT_DAYS },
    now,
  );
