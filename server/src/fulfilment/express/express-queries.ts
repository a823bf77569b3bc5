import sql from "sql-template-tag";
import type { Tx } from "../../db/database.ts";
import type { NewLine, NewOrder } from "./plan-express.ts";

/** Locks orders that are due. Those that another worker has locked are skipped. What follows is read in later statements. */
export const lockDueOrders = (tx: Tx, now: Date, limit: number) =>
  tx.rows<{ id: string; claims: number }>(
    sql`
      select order_id as id, claims from order_work where due_at <= ${now} order by due_at limit ${limit}
      for update skip locked`,
    { name: "lock-due-orders" },
  );

type NewOrderRow = Omit<NewOrder, "lines"> & {
  lines: (Omit<NewLine, "unitPriceMinor"> & { unitPriceMinor: number })[];
};

/** Those of these orders that are still pending, in the given order. */
export const readNewOrders = async (tx: Tx, ids: readonly string[]): Promise<NewOrder[]> => {
  const rows = await tx.rows<NewOrderRow>(
    sql`
      select o.id, o.reseller_id as "resellerId", o.environment, o.idempotency_key as "idempotencyKey", o.currency,
             o.test_scenario as scenario, o.created_at as "createdAt", o.all_or_nothing as "allOrNothing", l.lines
      from unnest(${ids}::text[]) with ordinality as asked (id, place)
      join orders o on o.id = asked.id
      cross join lateral (
        select json_agg(json_build_object(
          'lineIndex', line.line_index, 'productId', line.product_id, 'productType', p.type,
          'unitPriceMinor', line.unit_price_minor, 'quantity', line.quantity) order by line.line_index) as lines
        from order_lines line join products p on p.id = line.product_id
        where line.order_id = o.id
      ) l
      where o.status = 'pending' and l.lines is not null
      order by asked.place`,
    { name: "read-new-orders" },
  );
  return rows.map((row) => ({
    ...row,
    lines: row.lines.map((line) => ({ ...line, unitPriceMinor: BigInt(line.unitPriceMinor) })),
  }));
};

/** Completes pending orders whose units are all delivered. Returns how many there were. */
export const completeNewOrders = async (tx: Tx, ids: readonly string[], now: Date): Promise<number> => {
  const [row] = await tx.rows<{ count: number }>(
    sql`
      with done as (
        update orders set status = 'completed', processing_at = ${now}, open_units = 0, ended_at = ${now},
                          updated_at = greatest(updated_at, ${now})
        where id = any(${ids}) and status = 'pending'
        returning id, environment
      ), counted as (
        update order_lines l set fulfilled_quantity = l.quantity from done where l.order_id = done.id
        returning l.order_id, l.line_index, l.quantity, done.environment
      ), made as (
        insert into order_units (order_id, line_index, unit_index, environment, status, due_at, delivered_at)
        select order_id, line_index, unit_index, environment, 'delivered', ${now}, ${now}
        from counted cross join generate_series(0, quantity - 1) as unit_index
      ), gone as (
        delete from order_work w using done where w.order_id = done.id
      )
      select count(*)::integer as count from done`,
    { name: "complete-new-orders" },
  );
  return row?.count ?? 0;
};
