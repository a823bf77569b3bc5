import sql from "sql-template-tag";
import type { Tx } from "../../db/database.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import type { Attempt } from "../take/order-work.ts";

export type WrittenOff = UnitKey & Attempt & { productId: string };

/** Written-off attempts that are due for a look-up, locked against other workers. */
export const listWrittenOff = (tx: Tx, now: Date, limit: number) =>
  tx.rows<WrittenOff>(sql`
    select order_id as "orderId", line_index as "lineIndex", unit_index as "unitIndex", product_id as "productId",
           number, supplier_id as "supplierId", sku, status, failure_code as "failureCode", upstream_id as "upstreamId",
           doubtful, doubted_failure_code as "doubtedFailureCode", sends, looks, last_sent_at as "lastSentAt",
           cost_minor as "costMinor", max_cost_minor as "maxCostMinor", cost_currency as "costCurrency",
           supplier_price_minor as "priceMinor", supplier_price_currency as "priceCurrency"
    from supplier_attempts
    where status = 'open' and written_off_at is not null and next_look_at <= ${now}
    order by next_look_at, order_id, line_index, unit_index limit ${limit}
    for update skip locked`);

export const postponeLook = (tx: Tx, { orderId, lineIndex, unitIndex, number }: WrittenOff, until: Date) =>
  tx.rows(sql`
    update supplier_attempts set next_look_at = ${until}
    where order_id = ${orderId} and line_index = ${lineIndex} and unit_index = ${unitIndex} and number = ${number}`);

/** The units of an order that are still waiting, as chosen lines; with their open attempts, which are written off. */
export const writeOffUnits = (
  tx: Tx,
  { orderId, lines, now }: { orderId: string; lines: readonly number[] | null; now: Date },
) =>
  tx.rows(sql`
    update supplier_attempts a set written_off_at = ${now}, next_look_at = ${now}
    from order_units u
    where a.order_id = ${orderId} and a.status = 'open' and a.written_off_at is null
      and u.order_id = a.order_id and u.line_index = a.line_index and u.unit_index = a.unit_index
      and u.status = 'waiting' and (${lines}::smallint[] is null or u.line_index = any(${lines}))`);
