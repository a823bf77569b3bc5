import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { KeyRow } from "../queries.ts";
import type { Limits } from "./read-limits.ts";

/**
 * The lock that placements and refunds hold. Whoever has it is the only writer of the counts of the wallet's keys. It comes before the
 * lock of the key, as in a placement.
 */
export const lockWalletOfKey = (tx: Tx, id: string) =>
  tx.rows(sql`
    select from wallets w join api_keys k on k.reseller_id = w.reseller_id and k.environment = w.environment
    where k.id = ${id} for update of w`);

export const updateLimits = (tx: Tx, id: string, limits: Limits & { countedFrom: string | null }) =>
  tx.rows(sql`
    update api_keys
    set max_order_minor = ${limits.maxOrderMinor}, max_day_minor = ${limits.maxDayMinor},
        velocity_times = ${limits.velocityTimes}, counted_from = ${limits.countedFrom}::date,
        usual_hour_minor = case when ${limits.velocityTimes}::smallint is not null then usual_hour_minor end
    where id = ${id}`);

/** Counts what a key has spent since the beginning of the day, from its orders. `fromId` is the first id of that day. */
export const countFromOrders = (tx: Tx, key: KeyRow, day: string, fromId: string) =>
  tx.rows(sql`
    insert into key_spending (key_id, hour, spent_minor)
    select o.key_id, date_trunc('hour', o.created_at, 'UTC') as hour, sum(o.total_minor - coalesce(r.amount, 0))
    from orders o
    left join lateral (
      select sum(e.amount_minor) as amount from ledger_entries e
      where o.refunded_minor > 0 and e.order_id = o.id and e.type = 'refund'
        and (e.created_at at time zone 'UTC')::date = (o.created_at at time zone 'UTC')::date
    ) r on true
    where tenant_hash(o.reseller_id, o.environment) = tenant_hash(${key.resellerId}, ${key.environment}) and o.id >= ${fromId}
      and o.reseller_id = ${key.resellerId} and o.environment = ${key.environment}
      and o.key_id = ${key.id} and (o.created_at at time zone 'UTC')::date >= ${day}::date
    group by o.key_id, hour`);

export const deleteCounts = (tx: Tx, id: string) =>
  tx.rows(sql`delete from key_spending where key_id = ${id}`);

/** What these keys have spent on a UTC day. Keys that are not counted have no row. */
export const findSpentOn = async (db: Queryable, ids: readonly string[], day: string) =>
  new Map(
    (
      await db.rows<{ id: string; spentMinor: bigint }>(sql`
        select key_id as id, sum(spent_minor)::bigint as "spentMinor" from key_spending
        where key_id = any(${ids}::text[]) and hour >= ${`${day}T00:00:00Z`}::timestamptz
          and hour < ${`${day}T00:00:00Z`}::timestamptz + interval '24 hours'
        group by key_id`)
    ).map(({ id, spentMinor }) => [id, spentMinor]),
  );

export const findCurrency = async (db: Queryable, { resellerId }: Tenant): Promise<string> => {
  const [row] = await db.rows<{ currency: string }>(
    sql`select currency from resellers where id = ${resellerId}`,
  );
  if (!row) throw new RangeError(`there is no reseller ${resellerId}`);
  return row.currency;
};
