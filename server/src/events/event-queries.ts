import sql, { type Sql } from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { EXAMINED_MAX, type LookedRow, NO_ID, type Slice, toSlice } from "../lib/slice.ts";
import { DEFAULT_TYPES, type EventType } from "./event-types.ts";

/** Whether the endpoint `w` is subscribed to the type of `e`. Without a list it gets every type that is sent by default. */
export const isSubscribed: Sql = sql`
  case when w.events is null then e.type = any(${DEFAULT_TYPES}::text[]) else e.type = any(w.events) end`;

/** The body is the envelope as it is delivered. */
export type EventRow = { id: string; body: string };

export const findEvent = async (db: Queryable, tenant: Tenant, id: string): Promise<EventRow | undefined> => {
  const [row] = await db.rows<EventRow>(sql`
    select id, body from events
    where id = ${id} and reseller_id = ${tenant.resellerId} and environment = ${tenant.environment}`);
  return row;
};

export type EventSelection = {
  type?: EventType | undefined;
  orderId?: string | undefined;
  /** Bounds of the id, which are bounds of the time of creation. */
  fromId?: string | undefined;
  toId?: string | undefined;
  beforeId: string | undefined;
  limit: number;
};

/** Newest first. With an order, its few events are found first; without, the tenant's newest are read. */
export async function listEventRows(
  db: Queryable,
  tenant: Tenant,
  selection: EventSelection,
): Promise<Slice<EventRow>> {
  const { type, orderId, limit } = selection;
  const wanted = limit + 1;
  const examinedMax = type === undefined ? wanted : EXAMINED_MAX;
  const source = orderId === undefined ? sql`events` : eventsOfOrder(orderId);
  const rows = await db.rows<LookedRow<EventRow>>(sql`
    with examined as materialized (
      select e.id, e.type, e.body from ${source} e
      where ${range(tenant, selection)}
      order by e.reseller_id desc, e.environment desc, e.id desc limit ${examinedMax}
    )
    select looked.*, shown.*
    from (select count(*)::integer as examined, min(id) as "lastExaminedId" from examined) looked
    left join (
      select e.id, e.body from examined e
      where ${type ?? null}::text is null or e.type = ${type ?? null}
      order by e.id desc limit ${wanted}
    ) shown on true
    order by shown.id desc`);
  return toSlice(rows, limit, examinedMax);
}

/** The offset keeps PostgreSQL from searching all of the tenant's events for them. */
const eventsOfOrder = (orderId: string): Sql => sql`(
  select id, reseller_id, environment, type, body from events where order_id = ${orderId} offset 0)`;

/** One tenant's events within a range of ids. It compares whole rows, so that only the tenant's own index fits. */
export function range(
  { resellerId, environment }: Tenant,
  { fromId = "", toId = NO_ID, beforeId = NO_ID }: Partial<EventSelection>,
): Sql {
  const upperId = toId < beforeId ? toId : beforeId;
  return sql`(e.reseller_id, e.environment, e.id) >= (${resellerId}, ${environment}, ${fromId})
    and (e.reseller_id, e.environment, e.id) < (${resellerId}, ${environment}, ${upperId})`;
}
