import sql from "sql-template-tag";
import type { Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { OrderStatus } from "../../orders/status.ts";
import { isChosen, type UnitChoice, waitsForPerson } from "./unit-choice.ts";

export type OperatedOrder = Tenant & {
  id: string;
  status: OrderStatus;
  currency: string;
  refundHeld: boolean;
  openUnits: number | null;
};

/** Locks an order for the operator: its work first, then the order, as workers do. */
export const lockOrder = async (tx: Tx, id: string): Promise<OperatedOrder | undefined> => {
  await tx.rows(sql`select order_id from order_work where order_id = ${id} for update`);
  const [row] = await tx.rows<OperatedOrder>(sql`
    select id, reseller_id as "resellerId", environment, status, currency, refund_held as "refundHeld",
           open_units as "openUnits"
    from orders where id = ${id} for update`);
  return row;
};

/** The first step of a worker, for an order that no worker has taken yet. */
export const beginOrder = (tx: Tx, id: string, now: Date) =>
  tx.rows(sql`
    with begun as (
      update orders o
      set status = 'processing', processing_at = ${now}, updated_at = greatest(o.updated_at, ${now}),
          open_units = (select sum(l.quantity) from order_lines l where l.order_id = o.id)
      where o.id = ${id} and o.status = 'pending'
      returning o.id, o.environment
    )
    insert into order_units (order_id, line_index, unit_index, environment, due_at)
    select o.id, l.line_index, unit_index, o.environment, ${now}
    from begun o
    join order_lines l on l.order_id = o.id
    cross join generate_series(0, l.quantity - 1) as unit_index`);

/** Gives up the units that are still waiting. Returns how many there were. */
export const giveUpWaitingUnits = async (
  tx: Tx,
  id: string,
  choice: UnitChoice,
  now: Date,
): Promise<number> => {
  const [row] = await tx.rows<{ units: number }>(sql`
    with ended as (
      update order_units u set status = 'failed', failure_code = 'temporarily_unavailable', failed_at = ${now}
      where u.order_id = ${id} and u.status = 'waiting' and ${isChosen(choice, now)}
      returning line_index
    ), told as (
      update order_lines l set failure_code = 'temporarily_unavailable'
      where l.order_id = ${id} and l.line_index in (select line_index from ended)
    ), counted as (
      update orders set open_units = open_units - (select count(*) from ended), updated_at = greatest(updated_at, ${now})
      where id = ${id}
    )
    select count(*)::integer as units from ended`);
  return row?.units ?? 0;
};

export const listLineIndexes = async (tx: Tx, id: string): Promise<number[]> => {
  const rows = await tx.rows<{ lineIndex: number }>(sql`
    select line_index as "lineIndex" from order_lines where order_id = ${id} order by line_index`);
  return rows.map((row) => row.lineIndex);
};

export const setRefundHeld = (tx: Tx, id: string, held: boolean, now: Date) =>
  tx.rows(sql`
    update orders set refund_held = ${held}, updated_at = greatest(updated_at, ${now}) where id = ${id}`);

/** Makes an order due now, with or without a row of work. A worker that has leased it keeps it. */
export const makeDue = (tx: Tx, id: string, now: Date) =>
  tx.rows(sql`
    insert into order_work (order_id, due_at) values (${id}, ${now})
    on conflict (order_id) do update set due_at = excluded.due_at where order_work.lease_token is null`);

/** A person has decided: what is still not found counts as not made. */
export const confirmNotFound = (tx: Tx, id: string) =>
  tx.rows(sql`
    update supplier_attempts set not_found_state = 'confirmed'
    where order_id = ${id} and status = 'open' and written_off_at is null and ${waitsForPerson}`);

export const makeUnitsDue = (tx: Tx, id: string, now: Date) =>
  tx.rows(sql`
    update order_units set due_at = ${now} where order_id = ${id} and status = 'waiting' and due_at > ${now}`);
