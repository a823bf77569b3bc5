import sql from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import type { UnitKey } from "../vault/code-place.ts";
import type { KeptWords } from "./operate/what-was-said.ts";

export type Overdue = UnitKey & Pick<KeptWords, "toldState"> & { number: number; openedAt: Date };

export type Backlog = {
  dueOrders: number;
  oldestDueSeconds: number;
  unknownAttempts: number;
  /** Of those that are not written off. */
  oldestUnknownSeconds: number;
};

/**
 * Locks attempts that have been open since before that time and were not reported yet. One that is being settled is left for
 * the next run, because waiting here could deadlock.
 */
export const lockOverdue = (tx: Tx, openedBefore: Date, limit: number) =>
  tx.rows<Overdue>(sql`
    select order_id as "orderId", line_index as "lineIndex", unit_index as "unitIndex", number,
           opened_at as "openedAt", told_state as "toldState"
    from supplier_attempts
    where status = 'open' and opened_at < ${openedBefore} and alerted_at is null and written_off_at is null
    order by opened_at limit ${limit}
    for update skip locked`);

export const markAlerted = (tx: Tx, told: readonly Overdue[], now: Date) =>
  tx.rows(sql`
    update supplier_attempts set alerted_at = ${now}
    where (order_id, line_index, unit_index, number) in (
      select * from unnest(
        ${told.map((one) => one.orderId)}::text[], ${told.map((one) => one.lineIndex)}::smallint[],
        ${told.map((one) => one.unitIndex)}::integer[], ${told.map((one) => one.number)}::smallint[]))`);

export const readBacklog = async (db: Queryable, now: Date) => {
  const [row] = await db.rows<Backlog>(sql`
    select count(*)::integer as "dueOrders",
           coalesce(extract(epoch from ${now}::timestamptz - min(due_at)), 0)::double precision as "oldestDueSeconds",
           (select count(*) from supplier_attempts where status = 'open')::integer as "unknownAttempts",
           coalesce(extract(epoch from ${now}::timestamptz - (
             select min(opened_at) from supplier_attempts where status = 'open' and written_off_at is null
           )), 0)::double precision as "oldestUnknownSeconds"
    from order_work where due_at <= ${now}`);
  return row ?? { dueOrders: 0, oldestDueSeconds: 0, unknownAttempts: 0, oldestUnknownSeconds: 0 };
};
