import pg from "pg";
import { copyRows } from "./copy-rows.ts";
import type { ScaleTable } from "./scale-tables.ts";

/** Runs that are sorted near the processor and then merged. More memory makes comparisons wait for it. */
const SORT_MEMORY = "128MB";

type Part = { name: string; remove: string; definition: string };

/**
 * Loads a table with everything that makes rows slow out of the way: its indexes, which are built afterwards, each once and
 * sorted, and its triggers. Its file is new in this transaction, so that nothing is written to the log (with `wal_level` minimal)
 * and the rows are frozen at once; there is nothing left for `vacuum`.
 */
export async function loadTable(
  connectionString: string,
  { name, columns, write }: ScaleTable,
  count: number,
): Promise<void> {
  const client = new pg.Client({ connectionString, application_name: "scrip bench" });
  await client.connect();
  try {
    const tell = stopwatch(name);
    await client.query("begin");
    await client.query(
      `set local session_replication_role to replica; set local jit to off; set local maintenance_work_mem to '${SORT_MEMORY}'`,
    );
    await client.query(`cluster ${name} using ${name}_pkey`);
    const triggers = await removeParts(client, insertTriggers, name);
    const indexes = await removeParts(client, freeIndexes, name);
    await copyRows(
      client,
      `copy ${name} (${columns.join(", ")}) from stdin with (format binary, freeze)`,
      count,
      write,
    );
    tell("loaded");
    for (const { name: index, definition } of indexes) {
      await client.query(definition);
      tell(index);
    }
    await client.query(`alter table ${name} set without cluster`);
    for (const { definition } of triggers) await client.query(definition);
    await client.query("commit");
    tell("committed");
  } finally {
    await client.end();
  }
}

/** PostgreSQL copies row by row if there is a trigger before an insert, even one that is off, and keeps all rows for one after it. */
const insertTriggers = `
  select tgname as name, format('drop trigger %I on %s', tgname, tgrelid::regclass) as remove, pg_get_triggerdef(oid) as definition
  from pg_trigger where tgrelid = to_regclass($1) and not tgisinternal and tgtype & 4 <> 0`;

/** Indexes with a condition that the rows fulfil. The others stay: they remain empty, and to build them would read all rows again. */
const ENTERED = [
  "orders_by_reference",
  "supplier_attempts_one_bought",
  "codes_one_for_each_unit",
  "codes_known",
  "ledger_entries_order_debit",
];

/** Those that a foreign key relies on stay. */
const freeIndexes = `
  select i.relname as name,
         case when k.oid is null then format('drop index %I', i.relname)
              else format('alter table %s drop constraint %I', x.indrelid::regclass, k.conname) end as remove,
         case when k.oid is null then pg_get_indexdef(i.oid)
              else format('alter table %s add constraint %I %s', x.indrelid::regclass, k.conname, pg_get_constraintdef(k.oid))
         end as definition
  from pg_index x
  join pg_class i on i.oid = x.indexrelid
  left join pg_constraint k on k.conindid = i.oid and k.contype in ('p', 'u')
  where x.indrelid = to_regclass($1)
    and (x.indpred is null or i.relname in (${ENTERED.map((name) => `'${name}'`).join(", ")}))
    and not exists (select from pg_constraint f where f.conindid = i.oid and f.contype = 'f')
  order by i.relname`;

async function removeParts(client: pg.Client, list: string, table: string): Promise<Part[]> {
  const { rows } = await client.query<Part>(list, [table]);
  for (const { remove } of rows) await client.query(remove);
  return rows;
}

/** Quicker steps are not worth a line. */
const TOLD_AFTER_S = 5;

function stopwatch(table: string): (step: string) => void {
  let since = performance.now();
  return (step) => {
    const seconds = (performance.now() - since) / 1_000;
    since = performance.now();
    if (seconds > TOLD_AFTER_S) console.log(`${table}: ${step} in ${seconds.toFixed(0)} s`);
  };
}
