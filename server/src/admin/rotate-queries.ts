import sql, { type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";

/** A column of sealed values: `id` identifies a row, `sealed` is the value, `where` selects the rows that count. */
export type SealedColumn = { table: Sql; id: Sql; sealed: Sql; where: Sql };

export type SealedRow = { id: string; sealed: Buffer };
export type Replacement = { id: string; before: Buffer; after: Buffer };

export type OutdatedPage = {
  column: SealedColumn;
  /** The prefix of values that need no work. */
  prefix: Buffer;
  /** The page starts after this id. */
  after: string;
  limit: number;
};

/** The next values without the expected prefix, with the other columns that are needed. */
export const listOutdated = <Row extends SealedRow>(db: Queryable, page: OutdatedPage, others: Sql) => {
  const { table, id, sealed, where } = page.column;
  return db.rows<Row>(sql`
    select ${id} as id, ${sealed} as sealed ${others} from ${table}
    where ${where} and ${id} > ${page.after}
      and substring(${sealed} from 1 for length(${page.prefix}::bytea)) <> ${page.prefix}
    order by ${id} limit ${page.limit}`);
};

/**
 * Replaces values that are unchanged since they were read and returns their ids. Locked rows are skipped, because
 * waiting while holding others can deadlock. The rows are locked for this statement only.
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

/** Counts values by prefix: their format and key id. */
export const countSealed = (db: Queryable, { table, sealed, where }: SealedColumn, prefixBytes: number) =>
  db.rows<{ prefix: Buffer; count: number }>(sql`
    select substring(${sealed} from 1 for ${prefixBytes}) as prefix, count(*)::integer as count
    from ${table} where ${where} and ${sealed} is not null group by 1 order by 1`);

/**
 * The transactions that have written, or have locked rows to write, in any table: a stock import collects sealed
 * codes in a temporary table before it writes them.
 */
export const listWriters = (db: Queryable) =>
  db.rows<{ id: string }>(sql`
    select distinct virtualtransaction as id from pg_locks
    where locktype = 'relation' and mode in ('RowShareLock', 'RowExclusiveLock') and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())`);

/** Any fixed number works, as long as it is the same in every process. */
const KEY_FILE_LOCK = 7_242_003;

/** Lets one process at a time change the key file. Processes that share the database share the master keys. */
export const lockKeyFile = (tx: Tx) => tx.rows(sql`select pg_advisory_xact_lock(${KEY_FILE_LOCK})`);
