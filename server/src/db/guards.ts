import { readFileSync } from "node:fs";
import sql, { raw, type Sql } from "sql-template-tag";
import type { Tx } from "./database.ts";

const GUARDS_FILE = new URL("../../migrations/guards.sql", import.meta.url);

/** The one list of guards against mixing environments: the statements that create them. */
export const ENVIRONMENT_GUARDS: readonly string[] = readFileSync(GUARDS_FILE, "utf8")
  .replaceAll(/^--.*$/gm, "")
  .split(";")
  .map((statement) => statement.trim())
  .filter((statement) => statement !== "");

/** Creates the guards that are not there as they are listed. One that is there is not touched, because that locks its table. */
export async function createMissingGuards(tx: Tx): Promise<void> {
  const missing = await tx.rows<{ text: string }>(sql`select text from ${missingAmong(ENVIRONMENT_GUARDS)}`);
  for (const { text } of missing)
    await tx.rows(raw(text.replace(/^create trigger/, "create or replace trigger")));
}

/** Reports the triggers that are not there as they were made, or do nothing. Each is given as PostgreSQL prints it. */
export const missingTriggers = (definitions: readonly string[]): Sql => sql`
  select 'the trigger ' || name || ' is missing, changed or switched off' as violation
  from ${missingAmong(definitions)}`;

const missingAmong = (definitions: readonly string[]): Sql => sql`(
    select wanted.name, wanted.text from ${wanted(definitions)}
    where not exists (
      select from pg_trigger t
      where t.tgname = wanted.name and t.tgenabled in ('O', 'A')
        and ${ifNamed(
          sql`t.tgname`,
          sql`${comparable(sql`pg_get_triggerdef(t.oid, true)`)} = wanted.definition
            and (select p.prosrc like '%raise exception%' from pg_proc p where p.oid = t.tgfoid)`,
        )}
    )
  ) missing`;

/** The same for unique indexes. */
export const missingIndexes = (definitions: readonly string[]): Sql => sql`
  select 'the index ' || wanted.name || ' is missing, changed or broken' as violation
  from ${wanted(definitions)}
  where not exists (
    select from pg_index i
    join pg_class c on c.oid = i.indexrelid
    where c.relname = wanted.name
      and ${ifNamed(sql`c.relname`, sql`${comparable(sql`pg_get_indexdef(i.indexrelid, 0, true)`)} = wanted.definition`)}
      and i.indisvalid and i.indisready
  )`;

const wanted = (definitions: readonly string[]): Sql => sql`(
    select substring(given.text from '(?:trigger|index) (\\w+)') as name, given.text,
           ${comparable(sql`given.text`)} as definition
    from unnest(${definitions}::text[]) as given (text)
  ) wanted`;

/**
 * PostgreSQL takes a tenth of a millisecond to print a definition, and longer to search the texts of all its functions. So it looks only
 * at those that have a wanted name.
 */
const ifNamed = (name: Sql, condition: Sql): Sql =>
  sql`case when ${name} = wanted.name then ${condition} end`;

/**
 * Versions of PostgreSQL differ in the brackets, casts and spaces that they write, and in nothing else that matters here.
 * The collation is named, because under a Turkish one TRIGGER in lower case is not trigger.
 */
const comparable = (definition: Sql): Sql =>
  sql`lower(regexp_replace(${definition}, '::text|[()\\s]', '', 'g') collate "C")`;
