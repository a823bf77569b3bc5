import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { BookedPurchase } from "./reconcile.ts";

/** Our purchases at a supplier. Those opened a day before or after the period are there to be matched only. */
export const listBooked = (db: Queryable, supplierId: string, from: Date, to: Date) =>
  db.rows<BookedPurchase>(sql`
    select order_id || '.' || line_index || '.' || unit_index || '.' || number as reference, upstream_id as "upstreamId",
           status, opened_at as "openedAt", opened_at >= ${from} and opened_at < ${to} as "isInPeriod",
           coalesce(supplier_price_minor, cost_minor) as "amountMinor",
           case when supplier_price_minor is not null then supplier_price_currency else cost_currency end as currency
    from supplier_attempts
    where supplier_id = ${supplierId} and opened_at >= ${from}::timestamptz - interval '1 day'
      and opened_at < ${to}::timestamptz + interval '1 day'
    order by opened_at`);

export type PurchaseKey = { orderId: string; lineIndex: number; unitIndex: number; number: number };

/**
 * Returns those that were not known before and wait for a person. One of a purchase that nobody got is decided: another one may have
 * delivered the unit, or it was paid back.
 */
export const insertReversals = (
  db: Queryable,
  supplierId: string,
  purchases: readonly PurchaseKey[],
  now: Date,
) =>
  db.rows<PurchaseKey>(sql`
    with added as (
      insert into supplier_reversals (order_id, line_index, unit_index, number, supplier_id, found_at, kept_at)
      select order_id, line_index, unit_index, number, ${supplierId}, ${now},
             case when a.status = 'quarantined' then ${now}::timestamptz end
      from unnest(
        ${purchases.map((one) => one.orderId)}::text[], ${purchases.map((one) => one.lineIndex)}::smallint[],
        ${purchases.map((one) => one.unitIndex)}::integer[], ${purchases.map((one) => one.number)}::smallint[]
      ) as found (order_id, line_index, unit_index, number)
      join supplier_attempts a using (order_id, line_index, unit_index, number)
      on conflict do nothing
      returning *
    )
    select order_id as "orderId", line_index as "lineIndex", unit_index as "unitIndex", number from added
    where kept_at is null`);

export type ReversalRow = PurchaseKey & {
  supplierId: string;
  foundAt: Date;
  keptAt: Date | null;
  unitStatus: string;
};

/** Reversals that nobody has decided about, oldest first; or all of them. */
export const listReversals = (db: Queryable, filter: { all: boolean; limit: number }) =>
  db.rows<ReversalRow>(sql`
    select r.order_id as "orderId", r.line_index as "lineIndex", r.unit_index as "unitIndex", r.number,
           r.supplier_id as "supplierId", r.found_at as "foundAt", r.kept_at as "keptAt", u.status as "unitStatus"
    from supplier_reversals r join order_units u using (order_id, line_index, unit_index)
    where ${filter.all} or (r.kept_at is null and u.status = 'delivered')
    order by r.found_at, r.order_id, r.line_index, r.unit_index limit ${filter.limit}`);

/** The next supplier whose books were not read for so long. Workers take turns. */
export const claimForReversals = async (
  db: Queryable,
  now: Date,
  before: Date,
): Promise<{ id: string; kind: string } | undefined> => {
  const [row] = await db.rows<{ id: string; kind: string }>(sql`
    update suppliers set reversals_read_at = ${now}
    where id = (
      select id from suppliers
      where not has_own_stock and coalesce(reversals_read_at, 'epoch') <= ${before}
      order by reversals_read_at nulls first, id limit 1
      for no key update skip locked)
    returning id, kind`);
  return row;
};
