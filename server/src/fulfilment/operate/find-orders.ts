import sql, { empty, join, type Sql } from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { givenFilters, type OrderFilterValues } from "../../orders/order-filters.ts";
import { BY_REFERENCE, BY_STATUS, isOf, NEWEST } from "../../orders/order-range.ts";
import type { OrderStatus } from "../../orders/status.ts";
import { isUnknown } from "./unit-choice.ts";

export type FoundOrder = Tenant & {
  id: string;
  resellerName: string;
  status: OrderStatus;
  totalMinor: bigint;
  refundedMinor: bigint;
  currency: string;
  reference: string | null;
  refundHeld: boolean;
  units: number;
  openUnits: number | null;
  unknownPurchases: number;
  createdAt: Date;
  updatedAt: Date;
};

/** The filters of the API, and those that only the operator has. */
export type OrderSearch = OrderFilterValues & {
  environment?: Tenant["environment"] | undefined;
  resellerId?: string | undefined;
  /** Its refund is on hold. */
  held?: boolean | undefined;
  /** Unfinished, and placed long ago. */
  stuck?: boolean | undefined;
  /** A purchase for it has no outcome. */
  unknown?: boolean | undefined;
  beforeId?: string | undefined;
  limit: number;
};

/** When an unfinished order counts as stuck. */
export const STUCK_AFTER_MS = 15 * 60_000;
/** The operator's orders of all resellers, newest first. */
export async function findOrders(
  db: Queryable,
  search: OrderSearch,
  now: Date,
): Promise<{ orders: FoundOrder[]; hasMore: boolean }> {
  const rows = await db.rows<FoundOrder>(sql`
    select o.id, o.reseller_id as "resellerId", r.name as "resellerName", o.environment, o.status,
           o.total_minor as "totalMinor", o.refunded_minor as "refundedMinor", o.currency, o.reference,
           o.refund_held as "refundHeld", o.open_units as "openUnits", o.created_at as "createdAt",
           o.updated_at as "updatedAt",
           (select sum(l.quantity) from order_lines l where l.order_id = o.id)::integer as units,
           (select count(*) from supplier_attempts a where a.order_id = o.id and ${isUnknown(now)})::integer
             as "unknownPurchases"
    from (
      select * from orders o where ${join(conditionsOf(search, now), " and ")}
      order by o.id desc limit ${search.limit + 1}
    ) o
    join resellers r on r.id = o.reseller_id
    order by o.id desc`);
  return { orders: rows.slice(0, search.limit), hasMore: rows.length > search.limit };
}

/** Few orders are unfinished or have an open purchase, so they are found by the small tables that list them. */
function conditionsOf(search: OrderSearch, now: Date): Sql[] {
  const stuckBefore = new Date(now.getTime() - STUCK_AFTER_MS);
  const isUnfinished =
    search.stuck === true ||
    search.status?.every((one) => one === "pending" || one === "processing") === true;
  const given = [
    ...givenFilters(search).map(({ filter, value }) => filter.condition(value)),
    search.environment === undefined ? empty : sql`o.environment = ${search.environment}`,
    search.resellerId === undefined ? empty : isOfReseller(search.resellerId, search),
    search.beforeId === undefined ? empty : sql`o.id < ${search.beforeId}`,
    search.held === true ? sql`o.refund_held` : empty,
    search.stuck === true
      ? sql`o.status in ('pending', 'processing') and o.id < ${firstIdAt("ord", stuckBefore.getTime())}`
      : empty,
    isUnfinished ? sql`o.id in (select w.order_id from order_work w)` : empty,
    search.unknown === true
      ? sql`o.id in (select a.order_id from supplier_attempts a where ${isUnknown(now)})`
      : empty,
  ].filter((condition) => condition !== empty);
  return [sql`true`, ...given];
}

/** In one environment or in both, by the index that finds the fewest. */
function isOfReseller(resellerId: string, { environment, reference, status }: OrderSearch): Sql {
  const isIn = (one: Tenant["environment"]): Sql => {
    const tenant = { resellerId, environment: one };
    if (reference !== undefined) return isOf(BY_REFERENCE, tenant, reference);
    if (status === undefined) return isOf(NEWEST, tenant);
    return sql`(${join(
      status.map((one) => isOf(BY_STATUS, tenant, one)),
      " or ",
    )})`;
  };
  return environment === undefined ? sql`(${isIn("live")} or ${isIn("test")})` : isIn(environment);
}
