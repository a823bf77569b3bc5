import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { firstIdAt } from "../lib/ids.ts";
import { listOrderRows } from "./list-queries.ts";
import { EVERY_ID, inRange } from "./order-range.ts";
import type { OrderRow } from "./queries.ts";
import type { OrderStatus } from "./status.ts";

/** How many of the newest orders tell how it goes. More would cost more and say the same. */
export const SUMMARISED_MAX = 1_000;

export type OrderSummary = {
  /** How many orders were looked at. */
  looked: number;
  completed: number;
  /** Completed, with some of their units refunded. */
  partial: number;
  /** Failed or refunded as a whole. */
  failed: number;
  /** Neither yet. */
  open: number;
  /** From acceptance to completion, in milliseconds, where any order has both times. */
  medianMs: number | null;
  p95Ms: number | null;
  lastAt: Date | null;
  oldestOpenAt: Date | null;
};

/** How the newest orders since a time ended: one bounded range of one index, whatever the number of orders. */
export async function summariseOrders(db: Queryable, tenant: Tenant, since: Date): Promise<OrderSummary> {
  const ids = { ...EVERY_ID, fromId: firstIdAt("ord", since.getTime()) };
  const [row] = await db.rows<OrderSummary>(sql`
    with newest as materialized (
      select o.status, o.refunded_minor, o.created_at, extract(epoch from o.ended_at - o.created_at) * 1000 as took_ms
      from orders o where ${inRange(sql`o.reseller_id, o.environment, o.id`, tenant, [], ids)}
      order by o.reseller_id desc, o.environment desc, o.id desc limit ${SUMMARISED_MAX}
    )
    select count(*)::integer as looked,
           count(*) filter (where status = 'completed')::integer as completed,
           count(*) filter (where status = 'completed' and refunded_minor > 0)::integer as partial,
           count(*) filter (where status in ('failed', 'refunded'))::integer as failed,
           count(*) filter (where status in ('pending', 'processing'))::integer as open,
           percentile_disc(0.5) within group (order by took_ms) filter (where status = 'completed')::float8 as "medianMs",
           percentile_disc(0.95) within group (order by took_ms) filter (where status = 'completed')::float8 as "p95Ms",
           max(created_at) as "lastAt", ${oldestOpen(tenant)} as "oldestOpenAt"
    from newest`);
  if (!row) throw new Error("a sum without a row");
  return row;
}

/** Of all orders, not only of the newest: one that has been waiting for long is the one to know of. */
const oldestOpen = (tenant: Tenant) =>
  sql`least(${oldestWith(tenant, "pending")}, ${oldestWith(tenant, "processing")})`;

const oldestWith = (tenant: Tenant, status: OrderStatus) => sql`
  (select o.created_at from orders o
   where ${inRange(sql`o.reseller_id, o.environment, o.status, o.id`, tenant, [status], EVERY_ID)}
   order by o.reseller_id, o.environment, o.status, o.id limit 1)`;

/** The newest orders that failed or were refunded as a whole. */
export async function listFailedOrders(db: Queryable, tenant: Tenant, limit: number): Promise<OrderRow[]> {
  const slices = await Promise.all(
    (["failed", "refunded"] as const).map((status) =>
      listOrderRows(db, tenant, { filters: { status }, beforeId: undefined, limit }),
    ),
  );
  return slices
    .flatMap(({ rows }) => rows)
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}
