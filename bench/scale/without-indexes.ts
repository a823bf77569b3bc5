import sql, { raw } from "sql-template-tag";
import type { Db } from "../../server/src/db/database.ts";

/** Quicker ones are not worth a line. */
const TOLD_AFTER_S = 5;

type Index = { name: string; table: string; definition: string; isConstraint: boolean };

/**
 * Loads tables without their indexes and builds these afterwards, each once and sorted: a fraction of the time. Those that a
 * foreign key relies on stay.
 */
export async function withoutIndexes(
  db: Db,
  tables: readonly string[],
  load: () => Promise<void>,
): Promise<void> {
  const indexes = await db.rows<Index>(sql`
    select i.relname as name, t.relname as table, k.oid is not null as "isConstraint",
           coalesce('constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid),
                    pg_get_indexdef(i.oid)) as definition
    from pg_index x
    join pg_class i on i.oid = x.indexrelid
    join pg_class t on t.oid = x.indrelid
    left join pg_constraint k on k.conindid = i.oid and k.contype in ('p', 'u')
    where t.oid = any(select to_regclass(name) from unnest(${tables}::text[]) name)
      and not exists (select from pg_constraint f where f.conindid = i.oid and f.contype = 'f')
    order by i.relname`);
  for (const { name, table, isConstraint } of indexes)
    await db.rows(raw(isConstraint ? `alter table ${table} drop constraint ${name}` : `drop index ${name}`));
  for (const table of tables) await db.rows(raw(`alter table ${table} set (autovacuum_enabled = off)`));
  await load();
  // The biggest tables have their indexes built side by side.
  await Promise.all(
    tables.map((table) =>
      buildIndexes(
        db,
        indexes.filter((one) => one.table === table),
      ),
    ),
  );
  for (const table of tables) await db.rows(raw(`alter table ${table} reset (autovacuum_enabled)`));
}

async function buildIndexes(db: Db, indexes: readonly Index[]): Promise<void> {
  for (const { name, table, definition, isConstraint } of indexes) {
    const startedAt = performance.now();
    await db.transaction(async (tx) => {
      await tx.rows(sql`set local maintenance_work_mem = '512MB'`);
      await tx.rows(raw(isConstraint ? `alter table ${table} add ${definition}` : definition));
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    if (seconds > TOLD_AFTER_S) console.log(`index ${name} built in ${seconds.toFixed(0)} s`);
  }
}
