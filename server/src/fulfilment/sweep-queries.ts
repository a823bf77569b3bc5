import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { UnitKey } from "../vault/code-place.ts";

export type Overdue = UnitKey & { number: number; openedAt: Date };

export type Backlog = {
  dueOrders: number;
  oldestDueSeconds: number;
  unknownAttempts: number;
  /** Of those that are not written off. */
  oldestUnknownSeconds: number;
};

/** Attempts that have been open since before that time and were not reported yet. */
export const listOverdue = (db: Queryable, openedBefore: Date, limit: number) =>
  db.rows<Overdue>(sql`
    select order_id as "orderId", line_index as "lineIndex", unit_index as "unitIndex", number,
           opened_at as "openedAt"
    from supplier_attempts
    where status = 'open' and opened_at < ${openedBefore} and alerted_at is null and written_off_at is null
    order by opened_at limit ${limit}`);

/** One that is being settled is left for the next run, because waiting here could deadlock. */
export const markAlerted = (db: Queryable, told: readonly Overdue[], now: Date) =>
  db.rows(sql`
    update supplier_attempts a set alerted_at = ${now}
    from (
      select order_id, line_index, unit_index, number from supplier_attempts
      where status = 'open' and (order_id, line_index, unit_index, number) in (
        select * from unnest(
          ${told.map((one) => one.orderId)}::text[], ${told.map((one) => one.lineIndex)}::smallint[],
          ${told.map((one) => one.unitIndex)}::integer[], ${told.map((one) => one.number)}::smallint[]))
      for update skip locked
    ) free
    where a.order_id = free.order_id and a.line_index = free.line_index and a.unit_index = free.unit_index
      and a.number = free.number`);

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
