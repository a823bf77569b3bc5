import sql, { raw } from "sql-template-tag";
import type { Db, Tx } from "../db/database.ts";
import { firstIdAt } from "../lib/ids.ts";

/** How long a request stays in the log. */
export const KEPT_DAYS = 14;
const DAYS_AHEAD = 2;
const DAY_MS = 86_400_000;
/** Others read and write meanwhile: this gives up instead of holding them back, and is tried again later. */
const LOCK_TIMEOUT = "1s";
const NAME = /^api_requests_\d{8}$/;

/** Creates the partitions of today and the days around it, then drops the old ones. Safe to run in many processes at once. */
export async function keepPartitions(db: Db, now: Date): Promise<void> {
  await alone(db, async (tx, names) => {
    const today = dayOf(now);
    for (let day = today - 1; day <= today + DAYS_AHEAD; day += 1) {
      if (!names.includes(nameOf(day))) await tx.rows(sql`${raw(createPartition(day))}`);
    }
  });
  await alone(db, async (tx, names) => {
    const [database] = await tx.rows<{ now: Date }>(sql`select now() as now`);
    // By whichever clock is behind: one that is wrong by weeks must not drop everything.
    const today = Math.min(dayOf(now), dayOf(database?.now ?? now));
    const oldest = nameOf(today - KEPT_DAYS);
    for (const name of names) if (name < oldest) await tx.rows(sql`${raw(`drop table ${name}`)}`);
  });
}

const alone = (db: Db, work: (tx: Tx, names: readonly string[]) => Promise<void>): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.rows(sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`);
    await tx.rows(sql`select pg_advisory_xact_lock(hashtext('scrip: partitions of the request log'))`);
    const rows = await tx.rows<{ name: string }>(sql`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'api_requests'::regclass`);
    await work(
      tx,
      rows.map(({ name }) => name).filter((name) => NAME.test(name)),
    );
  });

const dayOf = (time: Date): number => Math.floor(time.getTime() / DAY_MS);

const nameOf = (day: number): string =>
  `api_requests_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "")}`;

const createPartition = (day: number): string =>
  `create table ${nameOf(day)} partition of api_requests
   for values from ('${firstIdAt("req", day * DAY_MS)}') to ('${firstIdAt("req", (day + 1) * DAY_MS)}')`;
