import sql from "sql-template-tag";
import type { Queryable } from "../../src/db/database.ts";

/** How many statements are waiting for a lock in this database. */
export async function countWaiting(db: Queryable): Promise<number> {
  const [row] = await db.rows<{ count: number }>(sql`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return row?.count ?? 0;
}
