import { createHash } from "node:crypto";
import sql, { join, raw } from "sql-template-tag";
import type { Queryable } from "../../src/db/database.ts";

/** What a request can write even if it is refused: when and from where a key was used. */
const WRITTEN_BY_ANY_USE = ["last_used_at", "last_used_ip"];

/** A digest of each table's rows, to detect whether and where something was written. */
export async function digestTables(db: Queryable): Promise<Record<string, string>> {
  const tables = await db.rows<{ name: string }>(sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`);
  const digests = tables.map(
    ({ name }) => sql`
      select ${name} as name, count(*) || ' ' || coalesce(md5(string_agg(content, ',' order by content)), '') as digest
      from (select (to_jsonb(one) - ${WRITTEN_BY_ANY_USE}::text[])::text as content from ${raw(name)} one) rows`,
  );
  const query = join(digests, " union all ");
  // Tests ask often, and to plan a query of all tables takes longer than to run it.
  const name = `digests-${createHash("md5").update(query.text).digest("hex")}`;
  const rows = await db.rows<{ name: string; digest: string }>(query, { name });
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}
