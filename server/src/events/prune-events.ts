import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { deleteDeliveries, deleteEvents, lockOldEvents } from "./prune-queries.ts";

/** CONTRACT 6: events can be recovered for 30 days. */
const KEPT_MS = 30 * 86_400_000;
const BATCH_MAX = 500;
const BATCHES_MAX = 20;

/** Removes events that are too old, with their deliveries, in batches. True: there is more. */
export async function pruneEvents({ db, clock }: { db: Db; clock: Clock }): Promise<boolean> {
  const before = new Date(clock.now().getTime() - KEPT_MS);
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    if ((await pruneBatch(db, before)) < BATCH_MAX) return false;
  }
  return true;
}

const pruneBatch = (db: Db, before: Date): Promise<number> =>
  db.transaction(async (tx) => {
    const ids = await lockOldEvents(tx, before, BATCH_MAX);
    if (ids.length === 0) return 0;
    await deleteDeliveries(tx, ids);
    await deleteEvents(tx, ids);
    return ids.length;
  });
