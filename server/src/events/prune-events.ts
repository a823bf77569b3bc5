import sql from "sql-template-tag";
import type { Db, Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";

/** CONTRACT 6: events can be recovered for 30 days. */
const KEPT_MS = 30 * 86_400_000;
const BATCH_MAX = 500;
const BATCHES_MAX = 20;

/** Removes events that are too old, with their deliveries, in batches. Returns whether more are left. */
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

/** Events from before that time without a pending delivery, oldest first. */
const lockOldEvents = async (tx: Tx, before: Date, limit: number): Promise<string[]> => {
  const rows = await tx.rows<{ id: string }>(sql`
    select e.id from events e
    where e.created_at < ${before}
      and not exists (select from deliveries d where d.event_id = e.id and d.status = 'pending')
    order by e.created_at limit ${limit}
    for update of e skip locked`);
  return rows.map((row) => row.id);
};

/** Their attempts are dropped with a whole week. A delivery that was restarted in the meantime stays, and so does its event. */
const deleteDeliveries = (tx: Tx, eventIds: readonly string[]) =>
  tx.rows(sql`delete from deliveries where event_id = any(${eventIds}) and status <> 'pending'`);

const deleteEvents = (tx: Tx, eventIds: readonly string[]) =>
  tx.rows(sql`
    delete from events e
    where e.id = any(${eventIds}) and not exists (select from deliveries d where d.event_id = e.id)`);
