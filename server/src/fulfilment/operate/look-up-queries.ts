import sql, { type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import type { Attempt } from "../take/order-work.ts";

export const attemptColumns: Sql = sql`
  a.order_id as "orderId", a.line_index as "lineIndex", a.unit_index as "unitIndex", a.product_id as "productId",
  a.number, a.supplier_id as "supplierId", a.sku, a.buy_value as value, a.field_map as "fieldMap", a.status, a.failure_code as "failureCode",
  a.upstream_id as "upstreamId", a.doubtful, a.doubted_failure_code as "doubtedFailureCode", a.sends, a.looks,
  a.not_found_looks as "notFoundLooks", a.not_found_since as "notFoundSince", a.not_found_state as "notFoundState",
  a.told_state as "toldState",
  a.last_sent_at as "lastSentAt", a.cost_minor as "costMinor", a.max_cost_minor as "maxCostMinor",
  a.cost_currency as "costCurrency", a.supplier_price_minor as "priceMinor",
  a.supplier_price_currency as "priceCurrency",
  (select l.input_fields from order_lines l where l.order_id = a.order_id and l.line_index = a.line_index)
    as "inputFields"`;

export type OpenPurchase = UnitKey &
  Attempt & {
    productId: string;
    inputFields: Record<string, string> | null;
    writtenOffAt: Date | null;
    /** When its unit would be looked at next. */
    dueAt: Date;
  };

/** The purchases of an order that have no outcome, longest open first. */
export const listOpenPurchases = (tx: Tx, orderId: string, limit: number) =>
  tx.rows<OpenPurchase>(sql`
    select ${attemptColumns}, a.written_off_at as "writtenOffAt", u.due_at as "dueAt"
    from supplier_attempts a
    join order_units u on u.order_id = a.order_id and u.line_index = a.line_index and u.unit_index = a.unit_index
    where a.order_id = ${orderId} and a.status = 'open'
    order by a.opened_at, a.line_index, a.unit_index limit ${limit}`);

/** What became of each purchase of an order. */
export const listOutcomes = (db: Queryable, orderId: string) =>
  db.rows<UnitKey & { number: number; status: Attempt["status"] }>(sql`
    select order_id as "orderId", line_index as "lineIndex", unit_index as "unitIndex", number, status
    from supplier_attempts where order_id = ${orderId}`);

/** Leases an order that no worker has now. False if one has. */
export const leaseOrder = async (
  tx: Tx,
  orderId: string,
  { token, now, until }: { token: string; now: Date; until: Date },
): Promise<boolean> => {
  const rows = await tx.rows(sql`
    update order_work set due_at = ${until}, lease_token = ${token}::uuid, claims = claims + 1
    where order_id = ${orderId} and (lease_token is null or due_at <= ${now})
    returning order_id`);
  return rows.length > 0;
};
