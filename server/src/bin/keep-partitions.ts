import type { Db } from "../db/database.ts";
import { keepEventPartitions } from "../events/event-partitions.ts";
import { keepPartitions as keepRequestPartitions } from "../requests/partitions.ts";
import { keepAttemptPartitions } from "../webhooks/delivery/attempt-partitions.ts";

/** Creates the partitions of all tables by time ahead, and drops old ones. The server does this itself where its role owns the tables. */
export async function keepPartitions(db: Db, now: Date): Promise<void> {
  await keepRequestPartitions(db, now);
  await keepAttemptPartitions(db, now);
  await keepEventPartitions(db, now);
}
