import sql, { raw } from "sql-template-tag";
import type { Db } from "../db/database.ts";
import { firstIdAt } from "../lib/ids.ts";

/** How long a request stays in the log. */
export const KEPT_DAYS = 14;
const DAYS_AHEAD = 2;
const DAY_MS = 86_400_000;
/** Others read and write while partitions come and go: this gives way instead of holding them up, and tries again later. */
const LOCK_TIMEOUT = "1s";
const NAME = /^api_requests_(\d{8})$/;

/** Creates the partitions of today and the days around it, and drops those that are too old. Safe to run anywhere at once. */
export async function keepPartitions(db: Db, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.rows(sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`);
    await tx.rows(sql`select pg_advisory_xact_lock(hashtext('scrip: partitions of the request log'))`);
    const names = new Set(
      (await tx.rows<{ name: string }>(partitionNames))
        .map(({ name }) => name)
        .filter((name) => NAME.test(name)),
    );
    const today = Math.floor(now.getTime() / DAY_MS);
    for (let day = today - 1; day <= today + DAYS_AHEAD; day += 1) {
      if (!names.has(nameOf(day))) await tx.rows(sql`${raw(createPartition(day))}`);
    }
    const oldest = nameOf(today - KEPT_DAYS);
    for (const name of names) if (name < oldest) await tx.rows(sql`${raw(`drop table ${name}`)}`);
  });
}

const partitionNames = sql`
  select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'api_requests'::regclass`;

const nameOf = (day: number): string =>
  `api_requests_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "")}`;

const createPartition = (day: number): string =>
  `create table ${nameOf(day)} partition of api_requests
   for values from ('${firstIdAt("req", day * DAY_MS)}') to ('${firstIdAt("req", (day + 1) * DAY_MS)}')`;
