import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { OrderStatus } from "../../orders/status.ts";
import type { EndedUnits } from "../settle/settle-queries.ts";
import type { ToldOrder } from "./order-event.ts";

export type OrderEnd = ToldOrder & {
  status: OrderStatus;
  refundHeld: boolean;
  openUnits: number;
  /** Units delivered, and units neither delivered nor refunded, whether open or given up. */
  delivered: bigint;
  owed: bigint;
  /** All of its units; none of them is delivered without the others where it is all or nothing. */
  units: bigint;
  allOrNothing: boolean;
};

/** The progress of orders. */
export const readEnds = (db: Queryable, ids: readonly string[]) =>
  db.rows<OrderEnd>(
    sql`
      select o.id, o.reseller_id as "resellerId", o.environment, o.reference, o.test_scenario as scenario, o.status,
             o.refund_held as "refundHeld", o.open_units as "openUnits", o.all_or_nothing as "allOrNothing", l.delivered, l.owed, l.units
      from unnest(${ids}::text[]) as asked (id)
      join orders o on o.id = asked.id
      cross join lateral (
        select sum(fulfilled_quantity) as delivered, sum(quantity - fulfilled_quantity - refunded_quantity) as owed,
               sum(quantity) as units
        from order_lines where order_id = o.id
      ) l`,
    { name: "read-ends" },
  );

export const markCompleted = (tx: Tx, ids: readonly string[], now: Date) =>
  tx.rows(
    sql`
      with done as (
        update orders set status = 'completed', open_units = 0, ended_at = ${now}, updated_at = greatest(updated_at, ${now})
        where id = any(${ids})
        returning id
      )
      delete from order_work w using done where w.order_id = done.id`,
    { name: "mark-completed" },
  );

/** No unit can be delivered. Only the refund is left to do. */
export const markFailed = (tx: Tx, ids: readonly string[], now: Date) =>
  tx.rows(sql`
    update orders set status = 'failed', open_units = 0, ended_at = ${now}, updated_at = greatest(updated_at, ${now})
    where id = any(${ids})`);

/** Orders that go on, with fewer open units than before. */
export const lowerOpenUnits = (tx: Tx, ended: readonly EndedUnits[], now: Date) =>
  tx.rows(sql`
    update orders o set open_units = o.open_units - one.units, updated_at = greatest(o.updated_at, ${now})
    from unnest(${ended.map((one) => one.orderId)}::text[], ${ended.map((one) => one.units)}::integer[])
      as one (order_id, units)
    where o.id = one.order_id`);

export const deleteWork = (tx: Tx, ids: readonly string[]) =>
  tx.rows(sql`delete from order_work where order_id = any(${ids})`);

/** Returns orders to the queue. They are due with their first unit; without waiting units, at once, or never if on hold. */
export const returnOrders = (tx: Tx, ids: readonly string[], now: Date) =>
  tx.rows(sql`
    update order_work w
    set lease_token = null, due_at = coalesce(
      (select min(u.due_at) from order_units u where u.order_id = w.order_id and u.status = 'waiting'),
      case when o.refund_held then 'infinity'::timestamptz else ${now}::timestamptz end)
    from orders o
    where w.order_id = any(${ids}) and o.id = w.order_id`);
