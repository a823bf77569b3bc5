import sql from "sql-template-tag";
import type { Tx } from "../../db/database.ts";
import type { UnitKey } from "../../vault/code-place.ts";

export type HeldBackCode = UnitKey & {
  id: string;
  productId: string;
  sealed: Buffer;
  hasOwnStock: boolean;
  /** The operator has withdrawn it while the order held it. */
  withdrawOnReturn: boolean;
};

/** Delivered codes of live orders, with where they came from. */
export const listHeldBackCodes = (tx: Tx, orderIds: readonly string[]) =>
  tx.rows<HeldBackCode>(sql`
    select c.id, c.order_id as "orderId", c.line_index as "lineIndex", c.unit_index as "unitIndex",
           c.product_id as "productId", c.sealed, s.has_own_stock as "hasOwnStock",
           c.withdraw_on_return as "withdrawOnReturn"
    from codes c join suppliers s on s.id = c.supplier_id
    where c.order_id = any(${orderIds}) and c.state = 'delivered' and c.environment = 'live'
    order by c.id for update of c`);

/** Test codes can be computed by anyone, so there is nothing to keep. */
export const deleteTestCodes = (tx: Tx, orderIds: readonly string[]) =>
  tx.rows(sql`
    delete from codes where order_id = any(${orderIds}) and state = 'delivered' and environment = 'test'`);

export type MovedCode = UnitKey & {
  id: string;
  productId: string;
  state: "stock" | "withdrawn" | "quarantined";
  sealed: Buffer;
};

/**
 * Moves the codes and ends their attempts: an attempt at the operator's own stock has bought nothing, one at a supplier
 * has.
 */
export const moveCodes = (tx: Tx, codes: readonly MovedCode[]) =>
  tx.rows(sql`
    with moved as materialized (
      select * from unnest(
        ${codes.map((one) => one.id)}::text[], ${codes.map((one) => one.state)}::text[],
        ${codes.map((one) => one.sealed)}::bytea[], ${codes.map((one) => one.orderId)}::text[],
        ${codes.map((one) => one.lineIndex)}::smallint[], ${codes.map((one) => one.unitIndex)}::integer[]
      ) as one (id, state, sealed, order_id, line_index, unit_index)
    ), attempts as (
      update supplier_attempts a
      set status = case when m.state = 'quarantined' then 'quarantined' else 'refused' end,
          failure_code = case when m.state <> 'quarantined' then 'temporarily_unavailable' end
      from moved m
      where a.order_id = m.order_id and a.line_index = m.line_index and a.unit_index = m.unit_index
        and a.status = 'delivered'
    )
    update codes c
    set state = m.state, sealed = m.sealed, delivered_at = null,
        order_id = case when m.state = 'quarantined' then m.order_id end,
        line_index = case when m.state = 'quarantined' then m.line_index end,
        unit_index = case when m.state = 'quarantined' then m.unit_index end,
        quarantine_reason = case when m.state = 'quarantined' then 'incomplete' end
    from moved m where c.id = m.id and c.state = 'delivered'`);

/** Their units have failed with the others. A line that failed by itself keeps its own reason. */
export const failDeliveredUnits = (tx: Tx, orderIds: readonly string[], now: Date) =>
  tx.rows(sql`
    with failed as (
      update order_units
      set status = 'failed', delivered_at = null, failure_code = 'temporarily_unavailable', failed_at = ${now}
      where order_id = any(${orderIds}) and status = 'delivered'
      returning order_id, line_index
    )
    update order_lines l
    set fulfilled_quantity = l.fulfilled_quantity - f.units,
        failure_code = coalesce(l.failure_code, 'temporarily_unavailable')
    from (select order_id, line_index, count(*) as units from failed group by order_id, line_index) f
    where l.order_id = f.order_id and l.line_index = f.line_index`);
