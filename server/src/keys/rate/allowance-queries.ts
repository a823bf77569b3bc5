import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { AllowanceAsk, AllowanceReply } from "../../http/limits/shared-rate-limit.ts";
import { BURST_SECONDS } from "../../http/rate-limit.ts";

/** Settles buckets with all processes, one reply for each, in the order that they have here. */
export async function takeAllowances(
  db: Queryable,
  asks: readonly AllowanceAsk[],
): Promise<readonly AllowanceReply[]> {
  return db.rows<AllowanceReply>(
    sql`
      select granted, level_ms as "levelMs" from take_allowances(
        ${asks.map(({ bucket }) => bucket)}::text[],
        ${asks.map(({ intervalMs }) => intervalMs)}::double precision[],
        ${asks.map(({ taken }) => taken)}::double precision[],
        ${asks.map(({ levelMs }) => levelMs)}::double precision[],
        ${asks.map(({ wanted }) => wanted)}::integer[],
        ${BURST_SECONDS * 1_000}
      )`,
    { name: "take_allowances" },
  );
}

/** Buckets that are empty again are as good as absent. */
export async function pruneAllowances(db: Queryable): Promise<void> {
  await db.rows(sql`
    delete from rate_limits where bucket in (
      select bucket from rate_limits
      where empty_at_ms < extract(epoch from clock_timestamp()) * 1000
      limit ${PRUNED_AT_ONCE_MAX} for update skip locked
    )`);
}

const PRUNED_AT_ONCE_MAX = 10_000;
/** A process beats once a second. The row of a killed one counts until then. */
const SILENT_AFTER_SECONDS = 15;

/** The processes that answer requests now, this one included. */
export async function countServing(db: Queryable): Promise<number> {
  const [row] = await db.rows<{ count: number }>(sql`
    select count(*)::integer as count from processes
    where role <> 'worker' and beat_at > clock_timestamp() - make_interval(secs => ${SILENT_AFTER_SECONDS})`);
  return row?.count ?? 0;
}
