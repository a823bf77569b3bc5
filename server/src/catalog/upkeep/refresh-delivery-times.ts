import sql, { type Sql } from "sql-template-tag";
import type { Db, Queryable, Tx } from "../../db/database.ts";
import { lockCatalog } from "../lock-catalog.ts";

const DAYS = 7;
const ORDERS_MIN = 20;
const PERCENT = 95;
/** Counts are kept for a day longer than they are read. */
const DAYS_KEPT = DAYS + 1;

/**
 * Works out how long orders of each product take (CONTRACT 3, estimatedDeliverySeconds) and returns how many products
 * changed. It reads counts by day and class of time, so its cost depends on the products that were sold, not on the
 * orders. Usually nothing differs, and then it only reads: a change raises the catalog's revision.
 */
export async function refreshDeliveryTimes(db: Db, now: Date): Promise<number> {
  await deleteOldCounts(db, now);
  if ((await countStale(db, now)) === 0) return 0;
  return db.transaction(async (tx) => {
    await lockCatalog(tx);
    const changed = await countStale(tx, now);
    await deleteStale(tx, now);
    await upsertStale(tx, now);
    return changed;
  });
}

const deleteOldCounts = (db: Queryable, now: Date) =>
  db.rows(sql`delete from product_order_times where day <= ${dayOf(now)} - ${DAYS_KEPT}::integer`);

const countStale = async (db: Queryable, now: Date): Promise<number> => {
  const [row] = await db.rows<{ count: number }>(
    sql`select count(*)::integer as count from (${staleTimes(now)}) stale`,
  );
  return row?.count ?? 0;
};

const deleteStale = (tx: Tx, now: Date) =>
  tx.rows(sql`
    delete from product_delivery_times t using (${staleTimes(now)}) stale
    where stale.seconds is null and t.product_id = stale.product_id`);

const upsertStale = (tx: Tx, now: Date) =>
  tx.rows(sql`
    insert into product_delivery_times (product_id, seconds)
    select product_id, seconds from (${staleTimes(now)}) stale where seconds is not null
    order by product_id
    on conflict (product_id) do update set seconds = excluded.seconds`);

const dayOf = (now: Date): Sql => sql`(${now}::timestamptz at time zone 'UTC')::date`;

/** Products whose row differs from the truth, with the truth: null where no row belongs. */
const staleTimes = (now: Date): Sql => sql`
  select coalesce(truth.product_id, present.product_id) as product_id, truth.seconds
  from (
    select summed.product_id, min(report_bound_seconds(summed.bucket)) as seconds
    from (
      select product_id, bucket, sum(orders) as orders,
             sum(sum(orders)) over (partition by product_id order by bucket) as seen,
             sum(sum(orders)) over (partition by product_id) as total
      from product_order_times
      where day > ${dayOf(now)} - ${DAYS}::integer and day <= ${dayOf(now)}
      group by product_id, bucket
    ) summed
    join products p on p.id = summed.product_id
    where summed.total >= ${ORDERS_MIN} and summed.seen * 100 >= summed.total * ${PERCENT}
    group by summed.product_id
  ) truth
  full join product_delivery_times present on present.product_id = truth.product_id
  where truth.seconds is distinct from present.seconds`;
