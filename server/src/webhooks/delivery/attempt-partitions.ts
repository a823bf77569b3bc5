import type { Db } from "../../db/database.ts";
import { type TimePartitions, tryKeepTimePartitions } from "../../db/time-partitions.ts";

/**
 * A delivery's id has the time of its event. Events are kept for 30 days (CONTRACT 6), and the retries of a delivery that was started
 * again on the last of them take three more. A week each: a list of deliveries has to look into few partitions.
 */
export const ATTEMPT_PARTITIONS: TimePartitions = {
  table: "delivery_attempts",
  key: "delivery_id",
  prefix: "dlv",
  days: 7,
  daysAhead: 7,
  keptDays: 35,
};

/** Attempts are dropped a week at a time, and never deleted one by one. */
export const keepAttemptPartitions = (db: Db, now: Date): Promise<void> =>
  tryKeepTimePartitions(db, ATTEMPT_PARTITIONS, now);
