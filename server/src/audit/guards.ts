import sql, { type Sql } from "sql-template-tag";

/**
 * What guards an invariant while nobody audits: finds the triggers that are not there as they were made, or do nothing.
 * Each is given as PostgreSQL itself would write it, in lower case.
 */
export const missingTriggers = (definitions: readonly string[]): Sql => sql`
  select 'the trigger ' || wanted.name || ' is missing, changed or switched off' as violation
  from ${wanted(definitions)}
  where not exists (
    select from pg_trigger t
    join pg_proc p on p.oid = t.tgfoid
    where ${comparable(sql`pg_get_triggerdef(t.oid, true)`)} = wanted.definition
      and t.tgenabled in ('O', 'A') and p.prosrc like '%raise exception%'
  )`;

/** The same for unique indexes. */
export const missingIndexes = (definitions: readonly string[]): Sql => sql`
  select 'the index ' || wanted.name || ' is missing, changed or broken' as violation
  from ${wanted(definitions)}
  where not exists (
    select from pg_index i
    where ${comparable(sql`pg_get_indexdef(i.indexrelid, 0, true)`)} = wanted.definition
      and i.indisvalid and i.indisready
  )`;

const wanted = (definitions: readonly string[]): Sql => sql`(
    select substring(given.text from '(?:trigger|index) (\\w+)') as name, ${comparable(sql`given.text`)} as definition
    from unnest(${definitions}::text[]) as given (text)
  ) wanted`;

/**
 * Versions of PostgreSQL differ in the brackets, casts and spaces that they write, and in nothing else that matters here.
 * The collation is named, because under a Turkish one TRIGGER in lower case is not trigger.
 */
const comparable = (definition: Sql): Sql =>
  sql`lower(regexp_replace(${definition}, '::text|[()\\s]', '', 'g') collate "C")`;
