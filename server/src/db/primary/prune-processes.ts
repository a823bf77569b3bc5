import sql from "sql-template-tag";
import type { Queryable } from "../database.ts";

/** Killed processes leave their rows behind. After a day they are no longer needed. */
export async function pruneProcesses(db: Queryable): Promise<void> {
  await db.rows(sql`delete from processes where beat_at < now() - interval '1 day'`);
}
