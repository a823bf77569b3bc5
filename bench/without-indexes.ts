import sql, { raw } from "sql-template-tag";
import type { Db } from "../server/src/db/database.ts";

/**
 * Runs this while the tables have only the indexes of their constraints, and builds the others again: many rows at once are
 * sorted once, instead of being put into each index one by one.
 */
export async function withoutIndexes(
  db: Db,
  tables: readonly string[],
  run: () => Promise<void>,
): Promise<void> {
  const indexes = await db.rows<{ name: string; definition: string }>(sql`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i
    where i.indrelid = any(${tables}::text[]::regclass[])
      and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`);
  for (const { name } of indexes) await db.rows(sql`drop index ${raw(name)}`);
  await run();
  await db.transaction(async (tx) => {
    await tx.rows(sql`select set_config('maintenance_work_mem', '512MB', true)`);
    for (const { definition } of indexes) await tx.rows(raw(definition));
  });
}
