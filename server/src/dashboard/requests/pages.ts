import { keyPrefix } from "../../keys/key-format.ts";
import { listKeyRows } from "../../keys/queries.ts";
import { Problem } from "../../lib/problem.ts";
import { groupErrors } from "../../requests/group-errors.ts";
import { getRequest, listRequests } from "../../requests/read-requests.ts";
import type { RequestView } from "../../requests/schemas.ts";
import { askedOf, filtersOf } from "../asked-of.ts";
import { BASE, type DashboardContext, type DashboardDeps, type DashboardFace, tenantOf } from "../session.ts";
import { renderRequest } from "./render-request.ts";
import { type KeyName, REQUEST_FILTERS, type RequestList, renderRequests } from "./render-requests.ts";

type RequestPageDeps = Pick<DashboardDeps, "db" | "cursors">;

/** The API requests of the last 14 days. */
export function requestPages(face: DashboardFace, deps: RequestPageDeps): void {
  face.page({
    path: `${BASE}/requests`,
    permission: "requests.read",
    load: (ctx) => loadRequests(deps, ctx),
    render: renderRequests,
  });
  face.page({
    path: `${BASE}/requests/:id`,
    permission: "requests.read",
    load: async (ctx) => ({
      request: await getRequest(deps.db, tenantOf(ctx), ctx.params.id ?? ""),
      keys: await loadKeys(deps, ctx),
    }),
    render: ({ request, keys }, ctx) => renderRequest(request, keys, ctx),
  });
}

async function loadRequests(deps: RequestPageDeps, ctx: DashboardContext): Promise<RequestList> {
  const tenant = tenantOf(ctx);
  const { id, ...filters } = filtersOf(ctx, REQUEST_FILTERS);
  const keys = await loadKeys(deps, ctx);
  if (id !== "") return { id, filters, keys, data: await findById(deps, ctx, id), nextCursor: "" };
  const isStart = ctx.query.cursor === undefined && Object.values(filters).every((text) => text === "");
  const [page, errors] = await Promise.all([
    listRequests(deps, tenant, askedOf(ctx, filters)),
    isStart ? groupErrors(deps.db, tenant, ctx.now) : undefined,
  ]);
  return { id, filters, keys, data: page.data, nextCursor: page.nextCursor, ...(errors ? { errors } : {}) };
}

/** The request with that id, or none: a search that finds nothing is no error. */
async function findById(deps: RequestPageDeps, ctx: DashboardContext, id: string): Promise<RequestView[]> {
  try {
    return [await getRequest(deps.db, tenantOf(ctx), id)];
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") return [];
    throw error;
  }
}

/** How each key of this environment is shown, by its id. */
async function loadKeys(deps: RequestPageDeps, ctx: DashboardContext): Promise<ReadonlyMap<string, KeyName>> {
  const { resellerId, environment } = tenantOf(ctx);
  const rows = await listKeyRows(deps.db, resellerId);
  return new Map(
    rows
      .filter((row) => row.environment === environment)
      .map(({ id, name, lastFour }) => [id, { name, hint: `${keyPrefix(environment)}…${lastFour}` }]),
  );
}
