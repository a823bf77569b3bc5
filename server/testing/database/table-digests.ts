import { createHash } from "node:crypto";
import sql, { join, raw, type Sql } from "sql-template-tag";
import type { Queryable } from "../../src/db/database.ts";

/** What a request can write even if it is refused: when and from where a key was used. */
const WRITTEN_BY_ANY_USE = ["last_used_at", "last_used_ip"];

type Table = { name: string; others: string; isWrittenByAnyUse: boolean };

/** A digest of each table's rows, to detect whether and where something was written. */
export async function digestTables(db: Queryable): Promise<Record<string, string>> {
  const tables = await db.rows<Table>(sql`
    select attrelid::regclass::text as name,
           coalesce(string_agg(quote_ident(attname), ', ') filter (where attname <> all(${WRITTEN_BY_ANY_USE})), '') as others,
           bool_or(attname = any(${WRITTEN_BY_ANY_USE})) as "isWrittenByAnyUse"
    from pg_attribute join pg_class c on c.oid = attrelid
    where relkind = 'r' and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
      and attnum > 0 and not attisdropped
    group by attrelid order by 1`);
  const query = join(tables.map(digestOf), " union all ");
  // Tests ask often, and to plan a query of all tables takes longer than to run it.
  const name = `digests-${createHash("md5").update(query.text).digest("hex")}`;
  const rows = await db.rows<{ name: string; digest: string }>(query, { name });
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

/**
 * A row that was inserted or updated has the number of its transaction, and one that was deleted is missing from the count. That
 * says nothing where any use of a key writes: there the other columns are compared.
 */
const digestOf = ({ name, others, isWrittenByAnyUse }: Table): Sql => {
  const mark = isWrittenByAnyUse
    ? sql`hashtextextended(row(${raw(others)})::text, 0)`
    : sql`xmin::text::bigint`;
  return sql`select ${name} as name, count(*) || ' ' || coalesce(sum(${mark}), 0) as digest from ${raw(name)}`;
};
