import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { UnitKey } from "../vault/code-place.ts";

/**
 * Attempts that have been open since before that time and that nobody was told of: each is told once. One that is being
 * settled at this moment is left for the next time.
 */
export const markAlerted = (db: Queryable, now: Date, openedBefore: Date) =>
  db.rows<UnitKey & { openedAt: Date }>(sql`
    update supplier_attempts a set alerted_at = ${now}
    from (
      select order_id, line_index, unit_index, number from supplier_attempts
      where status = 'open' and opened_at < ${openedBefore} and alerted_at is null and written_off_at is null
      for update skip locked
    ) overdue
    where a.order_id = overdue.order_id and a.line_index = overdue.line_index and a.unit_index = overdue.unit_index
      and a.number = overdue.number
    returning a.order_id as "orderId", a.line_index as "lineIndex", a.unit_index as "unitIndex",
              a.opened_at as "openedAt"`);

export const readBacklog = async (db: Queryable, now: Date) => {
  const [row] = await db.rows<{ dueOrders: number; oldestDueSeconds: number; unknownAttempts: number }>(sql`
    select count(*)::integer as "dueOrders",
           coalesce(extract(epoch from ${now}::timestamptz - min(due_at)), 0)::double precision as "oldestDueSeconds",
           (select count(*) from supplier_attempts where status = 'open')::integer as "unknownAttempts"
    from order_work where due_at <= ${now}`);
  return row ?? { dueOrders: 0, oldestDueSeconds: 0, unknownAttempts: 0 };
};
