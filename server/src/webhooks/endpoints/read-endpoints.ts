import type { FastifyRequest } from "fastify";
import type { Db } from "../../db/database.ts";
import type { Caller } from "../../http/caller.ts";
import { readPage } from "../../http/page.ts";
import type { CursorCodec } from "../../lib/cursor.ts";
import { listEndpointRows } from "./endpoint-queries.ts";
import { toEndpointView } from "./endpoint-view.ts";

/** The reseller's endpoints, newest first. */
export async function listEndpoints(
  deps: { db: Db; cursors: CursorCodec },
  caller: Caller,
  request: FastifyRequest,
) {
  const scope = { ...caller, endpoint: "listWebhooks", filters: {} };
  const { after, limit } = readPage(request, deps.cursors, scope);
  const rows = await listEndpointRows(deps.db, caller, { beforeId: after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return {
    data: shown.map(toEndpointView),
    hasMore,
    nextCursor: hasMore && last ? deps.cursors.encode(scope, last.id) : "",
  };
}
