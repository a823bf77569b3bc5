import sql, { raw } from "sql-template-tag";
import type { Db } from "../server/src/db/database.ts";

/** Tests that were ended early leave their databases behind, and a changed migration leaves a template. */
export async function dropLeftDatabases(
  admin: Db,
  pids: readonly number[],
  keptTemplate: string,
): Promise<void> {
  const rows = await admin.rows<{ name: string }>(sql`
    select datname as name from pg_database
    where datname like any(${pids.map((pid) => `test\\_${pid}\\_%`)})
      or (datname ~ '^(template_[0-9a-f]{16}|draft_[0-9a-f]+)$' and datname <> ${keptTemplate})`);
  for (const { name } of rows) await admin.rows(raw(`drop database if exists ${name} with (force)`));
}
