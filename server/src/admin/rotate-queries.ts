import sql, { type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";

/** Where sealed values are kept: `id` names a row, `sealed` is the value, `where` tells which rows count. */
export type SealedColumn = { table: Sql; id: Sql; sealed: Sql; where: Sql };

export type SealedRow = { id: string; sealed: Buffer };
export type Replacement = { id: string; before: Buffer; after: Buffer };

export type OutdatedPage = {
  column: SealedColumn;
  /** What a value begins with that needs nothing done. */
  prefix: Buffer;
  /** The id after which the page begins. */
  after: string;
  limit: number;
};

/** The next values that do not begin as they should, and what else of their rows is wanted. */
export const listOutdated = <Row extends SealedRow>(db: Queryable, page: OutdatedPage, others: Sql) => {
  const { table, id, sealed, where } = page.column;
  return db.rows<Row>(sql`
    select ${id} as id, ${sealed} as sealed ${others} from ${table}
    where ${where} and ${id} > ${page.after}
      and substring(${sealed} from 1 for length(${page.prefix}::bytea)) <> ${page.prefix}
    order by ${id} limit ${page.limit}`);
};

/**
 * Replaces values that are still what was read, and returns the ids of those. A row that somebody holds is left out
 * instead of waited for: whoever waits while it holds others can end in a deadlock. The rows are locked for this one
 * statement and no longer.
 */
export const replaceSealed = (db: Queryable, column: SealedColumn, replacements: readonly Replacement[]) => {
  const { table, id, sealed } = column;
  return db.rows<{ id: string }>(sql`
    with replacement as (
      select id, before, after
      from unnest(${replacements.map((one) => one.id)}::text[], ${replacements.map((one) => one.before)}::bytea[],
                  ${replacements.map((one) => one.after)}::bytea[]) as replacement (id, before, after)
    ), free as (
      select present.${id} as id, replacement.after
      from ${table} present
      join replacement on replacement.id = present.${id} and replacement.before = present.${sealed}
      for update of present skip locked
    )
    update ${table} present set ${sealed} = free.after from free where present.${id} = free.id
    returning present.${id} as id`);
};

/** How many values begin with which bytes: their format and the id of their key. */
export const countSealed = (db: Queryable, { table, sealed, where }: SealedColumn, prefixBytes: number) =>
  db.rows<{ prefix: Buffer; count: number }>(sql`
    select substring(${sealed} from 1 for ${prefixBytes}) as prefix, count(*)::integer as count
    from ${table} where ${where} and ${sealed} is not null group by 1 order by 1`);

/**
 * The transactions that have written, or have rows locked to write. Those of every table count: a stock import gathers
 * what it has sealed in a table of its own before it comes to the codes.
 */
export const listWriters = (db: Queryable) =>
  db.rows<{ id: string }>(sql`
    select distinct virtualtransaction as id from pg_locks
    where locktype = 'relation' and mode in ('RowShareLock', 'RowExclusiveLock') and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())`);

/** Any fixed number serves; it only has to be the same in every process. */
const KEY_FILE_LOCK = 7_242_003;

/** Lets one process at a time change the key file: whoever shares the database shares the master keys. */
export const lockKeyFile = (tx: Tx) => tx.rows(sql`select pg_advisory_xact_lock(${KEY_FILE_LOCK})`);
