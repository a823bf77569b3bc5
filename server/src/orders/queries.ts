import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { Actor } from "../lib/actor.ts";
import type { BoundRequest } from "./order-request.ts";
import type { OrderStatus } from "./status.ts";

export type OrderLineRow = {
  productId: string;
  name: string;
  unitPriceMinor: string;
  quantity: number;
  lineTotalMinor: string;
  inputFields: Record<string, string> | null;
  fulfilledQuantity: number;
  refundedQuantity: number;
  failureCode: string | null;
};

export type OrderRow = {
  id: string;
  status: OrderStatus;
  totalMinor: bigint;
  refundedMinor: bigint;
  currency: string;
  reference: string | null;
  allOrNothing: boolean;
  createdAt: Date;
  updatedAt: Date;
  lines: OrderLineRow[];
};

/**
 * Amounts in JSON are text, because numbers would pass through a float. While an all-or-nothing order is processing,
 * none of it counts as delivered.
 */
export const orderColumns = sql`
  o.id, o.status, o.total_minor as "totalMinor", o.refunded_minor as "refundedMinor", o.currency, o.reference,
  o.all_or_nothing as "allOrNothing", o.created_at as "createdAt", o.updated_at as "updatedAt",
  (
    select json_agg(json_build_object(
      'productId', l.product_id, 'name', l.name, 'unitPriceMinor', l.unit_price_minor::text, 'quantity', l.quantity,
      'lineTotalMinor', l.line_total_minor::text, 'inputFields', l.input_fields,
      'fulfilledQuantity',
      case when o.all_or_nothing and o.status = 'processing' then 0 else l.fulfilled_quantity end, 'refundedQuantity', l.refunded_quantity,
      'failureCode', l.failure_code) order by l.line_index)
    from order_lines l where l.order_id = o.id
  ) as lines`;

export const findOrder = async (db: Queryable, tenant: Tenant, id: string): Promise<OrderRow | undefined> => {
  const [row] = await db.rows<OrderRow>(
    sql`
      select ${orderColumns} from orders o
      where o.id = ${id} and o.reseller_id = ${tenant.resellerId} and o.environment = ${tenant.environment}`,
    { name: "find-order" },
  );
  return row;
};

/** The order that an idempotency key is bound to. `binding` is the key with its wallet. */
export const findBoundRequest = async (db: Queryable, binding: string) => {
  const [row] = await db.rows<BoundRequest & { id: string }>(sql`
    select id, fingerprint, reference, all_or_nothing as "allOrNothing"
    from orders where binding = ${binding}`);
  return row;
};

export const findOrderOrigin = async (db: Queryable, tenant: Tenant, id: string) => {
  const [row] = await db.rows<{ idempotencyKey: string; placedBy: Actor }>(
    sql`
      select o.idempotency_key as "idempotencyKey", o.actor as "placedBy" from orders o
      where o.id = ${id} and o.reseller_id = ${tenant.resellerId} and o.environment = ${tenant.environment}`,
    { name: "find-order-origin" },
  );
  return row;
};

/** The operator's view of any order. */
export const findAnyOrder = async (db: Queryable, id: string) => {
  const [row] = await db.rows<OrderRow & Tenant & { idempotencyKey: string; placedBy: Actor }>(sql`
    select o.reseller_id as "resellerId", o.environment, o.idempotency_key as "idempotencyKey", o.actor as "placedBy",
           ${orderColumns}
    from orders o where o.id = ${id}`);
  return row;
};
