import sql from "sql-template-tag";
import type { Tx } from "../../db/database.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import type { Route } from "../take/order-work.ts";

export type OpenedAttempt = UnitKey & { productId: string; number: number; route: Route };

/**
 * Written before the supplier is called, so that a crash leaves a record of a possible purchase. Returns the units. One whose route
 * was paused in the meantime is left out: routes are paused under the lock of `reserveCalls`.
 */
export const insertOpenAttempts = (tx: Tx, attempts: readonly OpenedAttempt[], now: Date) =>
  tx.rows<UnitKey>(sql`
    insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                   buy_value, field_map, cost_minor, max_cost_minor, cost_currency, status, sends, last_sent_at,
                                   opened_at, chosen)
    select order_id, line_index, unit_index, number, 'live', product_id, supplier_id, sku, buy_value, field_map::jsonb,
           cost_minor, max_cost_minor, cost_currency, 'open', 1, ${now}, ${now}, chosen
    from unnest(
      ${attempts.map((one) => one.orderId)}::text[], ${attempts.map((one) => one.lineIndex)}::smallint[],
      ${attempts.map((one) => one.unitIndex)}::integer[], ${attempts.map((one) => one.number)}::smallint[],
      ${attempts.map((one) => one.productId)}::text[], ${attempts.map((one) => one.route.supplierId)}::text[],
      ${attempts.map((one) => one.route.sku)}::text[], ${attempts.map((one) => one.route.costMinor)}::bigint[],
      ${attempts.map((one) => one.route.costCurrency)}::text[],
      ${attempts.map((one) => one.route.maxCostMinor)}::bigint[],
      ${attempts.map((one) => one.route.value)}::text[],
      ${attempts.map(({ route }) => (route.fieldMap ? JSON.stringify(route.fieldMap) : null))}::text[],
      ${attempts.map((one) => one.route.chosen)}::text[]
    ) as one (order_id, line_index, unit_index, number, product_id, supplier_id, sku, cost_minor, cost_currency,
              max_cost_minor, buy_value, field_map, chosen)
    where not exists (
      select from supplier_routes r
      where r.product_id = one.product_id and r.supplier_id = one.supplier_id and r.paused_at is not null
    )
    returning order_id as "orderId", line_index as "lineIndex", unit_index as "unitIndex"`);

/**
 * Written before an attempt is sent again. An attempt whose unit was given up in the meantime is not sent: what was not
 * bought by then must not be bought at all.
 */
export const markSentAgain = async (tx: Tx, unit: UnitKey, number: number, now: Date): Promise<boolean> => {
  const rows = await tx.rows(sql`
    update supplier_attempts set sends = sends + 1, last_sent_at = ${now}, doubtful = true
    where order_id = ${unit.orderId} and line_index = ${unit.lineIndex} and unit_index = ${unit.unitIndex}
      and number = ${number} and status = 'open' and written_off_at is null
    returning number`);
  return rows.length > 0;
};
