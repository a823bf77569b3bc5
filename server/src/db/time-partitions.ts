import sql, { raw, type Sql } from "sql-template-tag";
import { firstIdAt, type IdPrefix, timeOfId } from "../lib/ids.ts";
import type { Db, Tx } from "./database.ts";
import { errorCodeOf } from "./database-errors.ts";

/** A table whose partitions are ranges of ids, and so of times. All are names of ours, not input. */
export type TimePartitions = {
  table: string;
  /** The column that it is partitioned by, and the prefix of its ids. */
  key: string;
  prefix: IdPrefix;
  /** How many days (UTC) one partition holds. */
  days: number;
  daysAhead: number;
  keptDays: number;
  /** What is unique within a partition: the columns of an index, by how its name ends. */
  unique?: Readonly<Record<string, string>>;
  /** Finds something if an old partition, which holds these ids, must stay for now. It runs while nobody can write to the partition. */
  needed?: (range: PartitionRange) => Sql;
};

/** The first id of a partition, or none for the very first partition, and the first id after it. */
export type PartitionRange = { from: string | null; until: string };

const DAY_MS = 86_400_000;
/**
 * Others read and write meanwhile: this gives up instead of holding them back, and is tried again later. It is shorter than PostgreSQL
 * waits before it looks for deadlocks, so that no one else is the victim of one.
 */
const LOCK_TIMEOUT = "500ms";
/** Everyone who wants the table waits behind a drop. */
const DROP_LOCK_TIMEOUT = "200ms";
/** PostgreSQL's codes for a lock that was not given in time, and for a deadlock. */
const HELD_BACK = ["55P03", "40P01"];
/** PostgreSQL's code for what only the owner of a table can do. */
const NOT_OWNER = "42501";

/**
 * Creates the partitions of yesterday, today and the days ahead, then drops the old ones. Safe to run in many processes at once. Rows that
 * a default partition took because theirs was missing move to it, also those of a longer time in which this did not run.
 */
export async function keepTimePartitions(db: Db, plan: TimePartitions, now: Date): Promise<void> {
  await alone(db, plan, async (tx, partitions) => {
    const today = dayOf(now);
    const first = Math.min(startOf(plan, today - 1), await firstWaiting(tx, plan, partitions, today));
    for (let day = first; day <= today + plan.daysAhead; day += plan.days)
      if (!partitions.some((one) => covers(one, idAt(plan, day)))) await create(tx, plan, partitions, day);
  });
  await alone(db, plan, async (tx, partitions) => {
    const [database] = await tx.rows<{ now: Date }>(sql`select now() as now`);
    // By whichever clock is behind: one that is wrong by weeks must not drop everything.
    const today = Math.min(dayOf(now), dayOf(database?.now ?? now));
    const oldest = idAt(plan, today - plan.keptDays);
    for (const { name, from, until } of partitions)
      if (until !== null && until <= oldest) await drop(tx, plan, name, { from, until });
  });
}

/**
 * The same, but while a backup or an audit holds the table it is left to the next run: there is time. False if the role does not own the
 * table: then its owner has to do it (`scrip migrate`).
 */
export async function tryKeepTimePartitions(db: Db, plan: TimePartitions, now: Date): Promise<boolean> {
  try {
    await keepTimePartitions(db, plan, now);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === NOT_OWNER) return false;
    if (!isHeldBack(error)) throw error;
    return true;
  }
}

/** Whether somebody else held what was needed: another process that does the same, a backup, an audit. */
export const isHeldBack = (error: unknown): boolean => HELD_BACK.includes(errorCodeOf(error));

async function drop(tx: Tx, { table, needed }: TimePartitions, name: string, range: PartitionRange) {
  await tx.rows(sql`select set_config('lock_timeout', ${DROP_LOCK_TIMEOUT}, true)`);
  if (needed) {
    // A look before the lock: what must stay keeps nobody waiting.
    if ((await tx.rows(needed(range))).length > 0) return;
    await tx.rows(raw(`lock table only ${table} in access exclusive mode`));
    if ((await tx.rows(needed(range))).length > 0) return;
  }
  await tx.rows(raw(`drop table ${name}`));
}

type Partition = {
  name: string;
  isDefault: boolean;
  /** The first id that belongs here, null for the very first, and the first that does not. */
  from: string | null;
  until: string | null;
};

const covers = ({ isDefault, from, until }: Partition, id: string): boolean =>
  !isDefault && (from === null || from <= id) && until !== null && id < until;

const alone = (
  db: Db,
  { table }: TimePartitions,
  work: (tx: Tx, partitions: readonly Partition[]) => Promise<void>,
): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.rows(sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`);
    await tx.rows(sql`select pg_advisory_xact_lock(hashtext(${`scrip: partitions of ${table}`}))`);
    await work(tx, await tx.rows<Partition>(listPartitions(table)));
  });

const listPartitions = (table: string): Sql => sql`
  select name, bound = 'DEFAULT' as "isDefault", substring(bound from 'FROM \\(''([^'']+)''\\)') as from,
         substring(bound from 'TO \\(''([^'']+)''\\)') as until
  from (
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${table})
  ) partitions
  order by name`;

/** The first day of the partition for the oldest row that waits in the default partition and is to be kept. */
async function firstWaiting(
  tx: Tx,
  plan: TimePartitions,
  partitions: readonly Partition[],
  today: number,
): Promise<number> {
  const spare = partitions.find(({ isDefault }) => isDefault);
  if (!spare) return today;
  const key = raw(plan.key);
  const [waiting] = await tx.rows<{ oldest: string | null }>(sql`
    select min(${key}) as oldest from ${raw(spare.name)}
    where ${key} >= ${idAt(plan, today - plan.keptDays)} and ${key} < ${idAt(plan, today)}`);
  return waiting?.oldest ? startOf(plan, Math.floor(timeOfId(waiting.oldest) / DAY_MS)) : today;
}

const startOf = ({ days }: TimePartitions, day: number): number => Math.floor(day / days) * days;

/** It is made on its own and then attached: that lets others go on writing. */
async function create(
  tx: Tx,
  plan: TimePartitions,
  partitions: readonly Partition[],
  day: number,
): Promise<void> {
  const { table, key, days, unique = {} } = plan;
  const name = `${table}_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "")}`;
  const [from, until] = [idAt(plan, day), idAt(plan, day + days)];
  await tx.rows(raw(`create table ${name} (like ${table} including defaults including constraints)`));
  for (const [ending, columns] of Object.entries(unique))
    await tx.rows(raw(`create unique index ${name}_${ending} on ${name} ${columns}`));
  for (const spare of partitions.filter(({ isDefault }) => isDefault)) {
    // Or a row that comes between the move and the attachment would make the latter fail.
    await tx.rows(raw(`lock table ${spare.name} in access exclusive mode`));
    await tx.rows(sql`
      with moved as (delete from ${raw(spare.name)} where ${raw(key)} >= ${from} and ${raw(key)} < ${until} returning *)
      insert into ${raw(name)} select * from moved`);
  }
  await tx.rows(
    raw(`alter table ${table} attach partition ${name} for values from ('${from}') to ('${until}')`),
  );
}

const dayOf = (time: Date): number => Math.floor(time.getTime() / DAY_MS);

const idAt = ({ prefix }: TimePartitions, day: number): string => firstIdAt(prefix, day * DAY_MS);
