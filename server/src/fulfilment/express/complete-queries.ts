import sql from "sql-template-tag";
import { fromRows, fromTexts, type SentColumn } from "../../db/column-arrays.ts";
import type { Tx } from "../../db/database.ts";
import { emitParts, type toEventRows } from "../../events/emit-events.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import type { StoredSeal } from "../sealing/seal-to-reseller.ts";
import type { Route } from "../take/order-work.ts";

/** A unit that is delivered from stock: the id of its code, which is sealed for it, and the attempt that took it. */
export type DeliveredUnit = UnitKey &
  StoredSeal & {
    id: string;
    productId: string;
    number: number;
    route: Pick<Route, "supplierId" | "sku" | "costMinor" | "costCurrency" | "chosen">;
  };

export type CompletedOrders = {
  orderIds: readonly string[];
  /** All units of these orders. */
  units: readonly DeliveredUnit[];
  events: ReturnType<typeof toEventRows>;
};

const UNIT_COLUMNS: readonly SentColumn<DeliveredUnit>[] = [
  { column: "order_id", type: "text", value: (unit) => unit.orderId },
  { column: "line_index", type: "smallint", value: (unit) => unit.lineIndex },
  { column: "unit_index", type: "integer", value: (unit) => unit.unitIndex },
  { column: "code_id", type: "text", value: (unit) => unit.id },
  { column: "sealed", type: "bytea", value: ({ sealed }) => sealed },
  { column: "kid", type: "text", value: (unit) => unit.kid },
  { column: "enc", type: "bytea", value: ({ enc }) => enc },
  { column: "ciphertext", type: "bytea", value: ({ ciphertext }) => ciphertext },
  { column: "number", type: "smallint", value: (unit) => unit.number },
  { column: "product_id", type: "text", value: (unit) => unit.productId },
  { column: "supplier_id", type: "text", value: ({ route }) => route.supplierId },
  { column: "sku", type: "text", value: ({ route }) => route.sku },
  { column: "cost_minor", type: "bigint", value: ({ route }) => route.costMinor },
  { column: "cost_currency", type: "text", value: ({ route }) => route.costCurrency },
  { column: "chosen", type: "text", value: ({ route }) => route.chosen },
];

/**
 * Completes pending orders in one statement: codes, attempts, units, lines, status, events, and no work left. Returns how many
 * orders and codes were as expected; if some were not, the transaction must not be committed. As in `readNewOrders`, only keys fit
 * an index.
 */
export const completeNewOrders = async (
  tx: Tx,
  { orderIds, units, events }: CompletedOrders,
  now: Date,
): Promise<{ orders: number; codes: number }> => {
  const ids = fromTexts(orderIds);
  const [row] = await tx.rows<{ orders: number; codes: number }>(
    sql`
      with unit as materialized (
        select * from ${fromRows("one", UNIT_COLUMNS, units)}
      ), done as (
        update orders set status = 'completed', processing_at = ${now}, open_units = 0, ended_at = ${now},
                          updated_at = greatest(updated_at, ${now})
        where id = any(${ids}) and status is not distinct from 'pending'
        returning id
      ), delivered as (
        update codes c
        set state = 'delivered', sealed = unit.sealed, order_id = unit.order_id, line_index = unit.line_index,
            unit_index = unit.unit_index, delivered_at = ${now}, kid = unit.kid, enc = unit.enc, ciphertext = unit.ciphertext
        from unit where c.id = unit.code_id and c.state is not distinct from 'stock'
        returning c.id
      ), attempted as (
        insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                       cost_minor, cost_currency, status, opened_at, resolved_at, chosen)
        select order_id, line_index, unit_index, number, 'live', product_id, supplier_id, sku, cost_minor, cost_currency,
               'delivered', ${now}, ${now}, chosen
        from unit
      ), counted as (
        update order_lines l set fulfilled_quantity = l.quantity from done where l.order_id = done.id
      ), made as (
        insert into order_units (order_id, line_index, unit_index, environment, status, due_at, delivered_at)
        select order_id, line_index, unit_index, 'live', 'delivered', ${now}, ${now} from unit
      ), gone as (
        delete from order_work where order_id = any(${ids})
      ), ${emitParts(events, now)}
      select (select count(*) from done)::integer as orders, (select count(*) from delivered)::integer as codes`,
    { name: "complete-new-orders" },
  );
  return row ?? { orders: 0, codes: 0 };
};
