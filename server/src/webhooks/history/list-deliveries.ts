import type { Db } from "../../db/database.ts";
import { canonicalFilters, readEventType } from "../../events/event-filters.ts";
import type { Tenant } from "../../http/caller.ts";
import { readPage } from "../../http/page.ts";
import { type Asked, invalidParameter, queryFilter, queryTime } from "../../http/query.ts";
import type { CursorCodec } from "../../lib/cursor.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { getEndpoint } from "../endpoints/read-endpoints.ts";
import {
  type AttemptRow,
  DELIVERY_STATUSES,
  type DeliveryRow,
  type DeliveryStatus,
  listDeliveryRows,
} from "./history-queries.ts";
import type { AttemptView, DeliveryView } from "./schemas.ts";

/** The deliveries of an endpoint, newest event first. */
export async function listDeliveries(
  deps: { db: Db; cursors: CursorCodec },
  tenant: Tenant,
  request: Asked,
  endpointId: string,
) {
  const selected = readFilters(request);
  const filters = { endpointId, ...canonicalFilters(request, FILTERS) };
  const scope = { ...tenant, endpoint: "listWebhookDeliveries", filters };
  const { after, limit } = readPage(request, deps.cursors, scope);
  await getEndpoint(deps.db, tenant, endpointId);
  const selection = { ...selected, beforeId: after, limit };
  const { rows, nextBeforeId } = await listDeliveryRows(deps.db, endpointId, selection);
  return {
    data: rows.map(viewDelivery),
    hasMore: nextBeforeId !== undefined,
    nextCursor: nextBeforeId === undefined ? "" : deps.cursors.encode(scope, nextBeforeId),
  };
}

const FILTERS = ["status", "eventType", "eventId", "orderId", "createdFrom", "createdTo"] as const;

function readFilters(request: Asked) {
  const from = queryTime(request, "createdFrom");
  const to = queryTime(request, "createdTo");
  return {
    status: readStatus(request),
    eventType: readEventType(request, "eventType"),
    eventId: queryFilter(request, "eventId"),
    orderId: queryFilter(request, "orderId"),
    // The time inside a delivery's id is the time of its event.
    fromId: from && firstIdAt("dlv", from.getTime()),
    toId: to && firstIdAt("dlv", to.getTime()),
  };
}

function readStatus(request: Asked): DeliveryStatus | undefined {
  const text = queryFilter(request, "status");
  if (text === undefined) return undefined;
  const status = DELIVERY_STATUSES.find((known) => known === text);
  if (!status) throw invalidParameter("status", `status must be one of ${DELIVERY_STATUSES.join(", ")}.`);
  return status;
}

/** A delivery as the endpoint's owner reads it. Members without a value are left out. */
export const viewDelivery = (row: DeliveryRow): DeliveryView => ({
  id: row.id,
  eventId: row.eventId,
  eventType: row.eventType,
  webhookId: row.webhookId,
  status: row.status,
  attemptCount: row.attemptCount,
  attempts: (row.attempts ?? []).map(viewAttempt),
  ...(row.nextAttemptAt === null ? {} : { nextAttemptAt: row.nextAttemptAt.toISOString() }),
  createdAt: row.createdAt.toISOString(),
  ...(row.deliveredAt === null ? {} : { deliveredAt: row.deliveredAt.toISOString() }),
});

const viewAttempt = (row: AttemptRow): AttemptView => ({
  number: row.number,
  at: new Date(row.at).toISOString(),
  ...(row.status === null ? {} : { status: row.status }),
  ...(row.error === null ? {} : { error: row.error }),
  latencyMs: row.latencyMs,
  ...(row.responseBody === null ? {} : { responseBody: row.responseBody }),
});
