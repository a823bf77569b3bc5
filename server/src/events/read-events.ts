import type { Db, Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { readPage } from "../http/page.ts";
import { type Asked, queryFilter, queryTime } from "../http/query.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { firstIdAt } from "../lib/ids.ts";
import { notFound } from "../lib/problem.ts";
import { canonicalFilters, readEventType } from "./event-filters.ts";
import { findEvent, listEventRows } from "./event-queries.ts";
import type { EventView } from "./event-schemas.ts";

/** The caller's event as it is delivered. Another reseller's event is not found. */
export async function getEvent(db: Queryable, tenant: Tenant, id: string): Promise<EventView> {
  const row = id.includes("\0") ? undefined : await findEvent(db, tenant, id);
  if (!row) throw notFound();
  return JSON.parse(row.body);
}

/** The reseller's events, newest first, each as it is delivered. */
export async function listEvents(deps: { db: Db; cursors: CursorCodec }, tenant: Tenant, request: Asked) {
  const filters = readFilters(request);
  const scope = { ...tenant, endpoint: "listEvents", filters: canonicalFilters(request, FILTERS) };
  const { after, limit } = readPage(request, deps.cursors, scope);
  const selection = { ...filters, beforeId: after, limit };
  const { rows, nextBeforeId } = await listEventRows(deps.db, tenant, selection);
  return {
    data: rows.map((row): EventView => JSON.parse(row.body)),
    hasMore: nextBeforeId !== undefined,
    nextCursor: nextBeforeId === undefined ? "" : deps.cursors.encode(scope, nextBeforeId),
  };
}

const FILTERS = ["type", "orderId", "createdFrom", "createdTo"] as const;

function readFilters(request: Asked) {
  const from = queryTime(request, "createdFrom");
  const to = queryTime(request, "createdTo");
  return {
    type: readEventType(request, "type"),
    orderId: queryFilter(request, "orderId"),
    // The time of an event is the time inside its id.
    fromId: from && firstIdAt("evt", from.getTime()),
    toId: to && firstIdAt("evt", to.getTime()),
  };
}
