import sql from "sql-template-tag";
import type { Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { OrderStatus } from "../../orders/status.ts";
import type { OrderScenario } from "../../sandbox/scenarios.ts";
import { isChosen, type UnitChoice } from "../operate/unit-choice.ts";

/** Whose orders they are, in the order in which wallets are locked. */
export const findOwners = (tx: Tx, orderIds: readonly string[]) =>
  tx.rows<Tenant & { id: string }>(sql`
    select id, reseller_id as "resellerId", environment from orders where id = any(${orderIds})
    order by reseller_id, environment, id`);

export type RefundedUnits = { orderId: string; units: number; amountMinor: bigint };

/** All units of an order. */
export const EVERY_UNIT: UnitChoice = { lines: null, units: null, which: "all" };

/** Marks units as refunded, counts them in their lines, and returns their price. A unit is marked once. */
export const refundUnits = async (
  tx: Tx,
  orderId: string,
  /** Given up ones, or delivered ones of a completed order. */
  status: "failed" | "delivered",
  choice: UnitChoice,
  now: Date,
): Promise<RefundedUnits> => {
  const [row] = await tx.rows<{ units: bigint; amountMinor: bigint }>(sql`
    with refunded as (
      update order_units u set status = 'refunded'
      where u.order_id = ${orderId} and u.status = ${status} and ${isChosen(choice, now)}
      returning line_index
    ), counted as (
      update order_lines l set refunded_quantity = l.refunded_quantity + r.units
      from (select line_index, count(*) as units from refunded group by line_index) r
      where l.order_id = ${orderId} and l.line_index = r.line_index
      returning r.units, r.units * l.unit_price_minor as amount
    )
    select coalesce(sum(units), 0)::bigint as units, coalesce(sum(amount), 0)::bigint as "amountMinor" from counted`);
  if (!row) throw new Error("a sum without a row");
  return { orderId, units: Number(row.units), amountMinor: row.amountMinor };
};

type RefundedOrder = { status: OrderStatus; reference: string | null; scenario: OrderScenario | null };

/** Counts a refund in its order, which is refunded once all of its money is back. Returns what it is now. */
export const addRefund = async (
  tx: Tx,
  orderId: string,
  amountMinor: bigint,
  now: Date,
): Promise<RefundedOrder> => {
  const [row] = await tx.rows<RefundedOrder>(sql`
    update orders
    set refunded_minor = refunded_minor + ${amountMinor}, updated_at = greatest(updated_at, ${now}),
        status = case when refunded_minor + ${amountMinor} = total_minor then 'refunded' else status end
    where id = ${orderId}
    returning status, reference, test_scenario as scenario`);
  if (!row) throw new Error(`${orderId} is gone`);
  return row;
};
