import sql from "sql-template-tag";
import type { Tx } from "../db/database.ts";

/** Events from before that time of which no delivery waits, the oldest first. */
export const lockOldEvents = async (tx: Tx, before: Date, limit: number): Promise<string[]> => {
  const rows = await tx.rows<{ id: string }>(sql`
    select e.id from events e
    where e.created_at < ${before}
      and not exists (select from deliveries d where d.event_id = e.id and d.status = 'pending')
    order by e.created_at limit ${limit}
    for update of e skip locked`);
  return rows.map((row) => row.id);
};

/** With their attempts. One that was begun anew in the meantime stays, and so does its event. */
export const deleteDeliveries = (tx: Tx, eventIds: readonly string[]) =>
  tx.rows(sql`delete from deliveries where event_id = any(${eventIds}) and status <> 'pending'`);

export const deleteEvents = (tx: Tx, eventIds: readonly string[]) =>
  tx.rows(sql`
    delete from events e
    where e.id = any(${eventIds}) and not exists (select from deliveries d where d.event_id = e.id)`);
