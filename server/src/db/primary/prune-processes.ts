import sql from "sql-template-tag";
import type { Queryable } from "../database.ts";

/** Processes that were killed leave their rows behind. A day later nobody asks for them any more. */
export async function pruneProcesses(db: Queryable): Promise<void> {
  await db.rows(sql`delete from processes where beat_at < now() - interval '1 day'`);
}
