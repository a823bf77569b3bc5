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
  const source =
    orderId === undefined
      ? newestEvents(tenant, selection, examinedMax)
      : eventsOfOrder(orderId, tenant, selection, examinedMax);
  const rows = await db.rows<LookedRow<EventRow>>(sql`
    with examined as materialized (
      ${source}
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

const newestEvents = (tenant: Tenant, selection: EventSelection, count: number): Sql => sql`
  select e.id, e.type, e.body
  from newest_events(${tenant.resellerId}, ${tenant.environment}, ${selection.fromId ?? ""}, ${upperIdOf(selection)}, ${count}) e`;

const eventsOfOrder = (orderId: string, tenant: Tenant, selection: EventSelection, count: number): Sql => sql`
  select e.id, e.type, e.body from events_of_order(${orderId}) e
  where ${range(tenant, selection)}
  order by e.id desc limit ${count}`;

const upperIdOf = ({ toId = NO_ID, beforeId = NO_ID }: Partial<EventSelection>): string =>
  toId < beforeId ? toId : beforeId;

/** One tenant's events within a range of ids. It compares whole rows, so that only the tenant's own index fits. */
export function range({ resellerId, environment }: Tenant, selection: Partial<EventSelection>): Sql {
  return sql`(e.reseller_id, e.environment, e.id) >= (${resellerId}, ${environment}, ${selection.fromId ?? ""})
    and (e.reseller_id, e.environment, e.id) < (${resellerId}, ${environment}, ${upperIdOf(selection)})`;
}
