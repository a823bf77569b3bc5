import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { listOrderRows } from "./list-queries.ts";
import { BY_STATUS, EVERY_ID, inRange, oldestFirst } from "./order-range.ts";
import type { OrderRow } from "./queries.ts";
import type { OrderStatus } from "./status.ts";

/** When the order was placed that has been waiting for longest. */
export async function findOldestOpen(db: Queryable, tenant: Tenant): Promise<Date | null> {
  const [row] = await db.rows<{ at: Date | null }>(
    sql`select least(${oldestWith(tenant, "pending")}, ${oldestWith(tenant, "processing")}) as at`,
  );
  return row?.at ?? null;
}

const oldestWith = (tenant: Tenant, status: OrderStatus) => sql`
  (select o.created_at from orders o
   where ${inRange(BY_STATUS, tenant, EVERY_ID, status)} order by ${oldestFirst(BY_STATUS)} limit 1)`;

/** The newest orders that failed or were refunded as a whole. */
export async function listFailedOrders(db: Queryable, tenant: Tenant, limit: number): Promise<OrderRow[]> {
  const filters = { status: ["failed", "refunded"] } as const;
  return (await listOrderRows(db, tenant, { filters, beforeId: undefined, limit })).rows;
}
