import sql, { raw, type Sql } from "sql-template-tag";
import type { Queryable } from "../../src/db/database.ts";

/**
 * Which rows of a table without an environment column are live. Tables that are not listed have no environment: all
 * rows count.
 */
const OF_LIVE: Readonly<Record<string, string>> = {
  order_work: "order_id in (select id from orders where environment = 'live')",
  report_changes: "order_id in (select id from orders where environment = 'live')",
  report_rates: "order_id in (select id from orders where environment = 'live')",
  report_unended: "order_id in (select id from orders where environment = 'live')",
  deliveries: "event_id in (select id from events where environment = 'live')",
  delivery_attempts:
    "delivery_id in (select d.id from deliveries d join events e on e.id = d.event_id where e.environment = 'live')",
  webhook_lanes: "endpoint_id in (select id from webhook_endpoints where environment = 'live')",
  webhook_secrets: "endpoint_id in (select id from webhook_endpoints where environment = 'live')",
};

export type LiveRows = Readonly<Record<string, { rows: number; digest: string }>>;

/**
 * Digests every table except for sandbox rows: the number of rows, and a digest over each row and the transaction
 * that last wrote it. A row that is rewritten unchanged is detected too. Partitions are read with their table.
 */
export async function digestLiveRows(db: Queryable): Promise<LiveRows> {
  const tables = await db.rows<{ name: string; hasEnvironment: boolean }>(sql`
    select t.table_name as name, exists (
      select from information_schema.columns c
      where c.table_schema = 'public' and c.table_name = t.table_name and c.column_name = 'environment'
    ) as "hasEnvironment"
    from information_schema.tables t
    join pg_class k on k.oid = to_regclass(quote_ident(t.table_name)) and not k.relispartition
    where t.table_schema = 'public' and t.table_type = 'BASE TABLE' order by t.table_name`);
  const digests: [string, { rows: number; digest: string }][] = [];
  for (const { name, hasEnvironment } of tables) {
    const condition = hasEnvironment ? "environment = 'live'" : (OF_LIVE[name] ?? "true");
    const [row] = await db.rows<{ rows: number; digest: string }>(digestOf(name, condition));
    if (row) digests.push([name, row]);
  }
  return Object.fromEntries(digests);
}

const digestOf = (table: string, condition: string): Sql => sql`
  select count(*)::integer as rows, md5(coalesce(string_agg(line, ',' order by line), '')) as digest
  from (select md5(t.xmin::text || t::text) as line from ${raw(table)} t where ${raw(condition)}) one`;
