import type { EndpointRow } from "../../webhooks/endpoints/endpoint-queries.ts";
import { listEndpointRows } from "../../webhooks/endpoints/endpoint-queries.ts";
import { getEndpoint } from "../../webhooks/endpoints/read-endpoints.ts";
import { ENDPOINTS_MAX } from "../../webhooks/endpoints/register-endpoint.ts";
import { type EndpointHealth, readHealth } from "../../webhooks/health/read-health.ts";
import { listDeliveries } from "../../webhooks/history/list-deliveries.ts";
import type { DeliveryView } from "../../webhooks/history/schemas.ts";
import { askedOf, filtersOf } from "../asked-of.ts";
import { type DashboardContext, tenantOf } from "../session.ts";
import type { ListedEndpoint } from "./render-endpoints.ts";
import { idOf, type WebhookPageDeps } from "./section.ts";

export const DELIVERY_FILTERS = ["status", "eventType", "orderId", "from", "to"] as const;
export type DeliveryFilters = Record<(typeof DELIVERY_FILTERS)[number], string>;

export type EndpointData = {
  endpoint: EndpointRow;
  health: EndpointHealth;
  filters: DeliveryFilters;
  deliveries: { data: DeliveryView[]; nextCursor: string };
};

export async function loadEndpoints(deps: WebhookPageDeps, ctx: DashboardContext): Promise<ListedEndpoint[]> {
  const rows = await listEndpointRows(deps.db, tenantOf(ctx), { beforeId: undefined, limit: ENDPOINTS_MAX });
  const health = await readHealth(deps.db, rows, ctx.now);
  return rows.map((row) => ({ row, health: health.get(row.id) as EndpointHealth }));
}

/** An endpoint, its health, and the page of its deliveries that the address asks for. */
export async function loadEndpoint(
  deps: WebhookPageDeps,
  ctx: DashboardContext,
  { isAgain = false } = {},
): Promise<EndpointData> {
  const tenant = tenantOf(ctx);
  const endpoint = await getEndpoint(deps.db, tenant, idOf(ctx));
  // After a refused form the list is shown from its start.
  const asked = isAgain ? { query: {} } : ctx;
  const filters = filtersOf(asked, DELIVERY_FILTERS);
  const [health, deliveries] = await Promise.all([
    readHealth(deps.db, [endpoint], ctx.now),
    listDeliveries(deps, tenant, askedOf(asked, filters), endpoint.id),
  ]);
  return { endpoint, health: health.get(endpoint.id) as EndpointHealth, filters, deliveries };
}
