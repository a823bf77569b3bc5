import type { Db, Queryable } from "../../db/database.ts";
import { DEFAULT_TYPES } from "../../events/event-types.ts";
import type { Tenant } from "../../http/caller.ts";
import { readPage } from "../../http/page.ts";
import type { Asked } from "../../http/query.ts";
import type { CursorCodec } from "../../lib/cursor.ts";
import { notFound, Problem } from "../../lib/problem.ts";
import { type EndpointRow, findEndpoint, listEndpointRows } from "./endpoint-queries.ts";
import type { WebhookView } from "./schemas.ts";

/** The caller's endpoint. Another reseller's endpoint is not found. */
export async function getEndpoint(db: Queryable, tenant: Tenant, id: string): Promise<EndpointRow> {
  const row = id.includes("\0") ? undefined : await findEndpoint(db, tenant, id);
  if (!row) throw notFound();
  return row;
}

/** The same for what sends something: an endpoint that is not active is refused. */
export async function getActiveEndpoint(db: Queryable, tenant: Tenant, id: string): Promise<EndpointRow> {
  const row = await getEndpoint(db, tenant, id);
  if (!row.active) throw inactiveEndpoint();
  return row;
}

/** The hosts of a tenant's endpoints by their id, for people: an id says less. A tenant has at most 16 (CONTRACT 6). */
export async function endpointHosts(db: Queryable, tenant: Tenant): Promise<ReadonlyMap<string, string>> {
  const rows = await listEndpointRows(db, tenant, { beforeId: undefined, limit: HOSTS_MAX });
  return new Map(rows.map(({ id, url }) => [id, URL.parse(url)?.host ?? url]));
}

const HOSTS_MAX = 100;

export const inactiveEndpoint = (): Problem =>
  new Problem(
    "webhook_inactive",
    "The endpoint is not active, so nothing is sent to it. Set active to true first, with PATCH /v1/webhooks/{id}.",
  );

/** The reseller's endpoints, newest first. */
export async function listEndpoints(deps: { db: Db; cursors: CursorCodec }, tenant: Tenant, request: Asked) {
  const scope = { ...tenant, endpoint: "listWebhooks", filters: {} };
  const { after, limit } = readPage(request, deps.cursors, scope);
  const rows = await listEndpointRows(deps.db, tenant, { beforeId: after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return {
    data: shown.map(toEndpointView),
    hasMore,
    nextCursor: hasMore && last ? deps.cursors.encode(scope, last.id) : "",
  };
}

/** An endpoint as its owner reads it. Without a list of types it shows those that it gets now. */
export const toEndpointView = (row: EndpointRow): WebhookView => ({
  id: row.id,
  url: row.url,
  events: row.events ?? [...DEFAULT_TYPES],
  active: row.active,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  ...(row.failingSince === null ? {} : { failingSince: row.failingSince.toISOString() }),
});
