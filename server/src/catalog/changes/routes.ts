import type { FastifyInstance } from "fastify";
import type { Db } from "../../db/database.ts";
import { callerOf } from "../../http/caller.ts";
import { jsonReply } from "../../http/json-reply.ts";
import { Type } from "../../http/openapi/type.ts";
import { pageParameters, readLimit } from "../../http/page.ts";
import { queryFilter, queryText } from "../../http/query.ts";
import type { CursorCodec } from "../../lib/cursor.ts";
import { CatalogChangePage } from "./change-schemas.ts";
import { changesCursorScope, listChanges } from "./list-changes.ts";

export function changeRoutes(app: FastifyInstance, deps: { db: Db; cursors: CursorCodec }): void {
  app.get("/v1/catalog/changes", {
    config: { scope: "catalog:read", problems: ["invalid_request", "invalid_cursor"] },
    schema: {
      operationId: "listCatalogChanges",
      tags: ["Catalog"],
      summary: "List catalog changes",
      description:
        "Returns what changed in your catalog since a cursor: each product once, with its state now. Without `since` it returns no changes and a cursor that starts from now. To keep a copy of the catalog: get a cursor, read the whole catalog, then follow the changes. A product that cannot be ordered at the moment is `upserted` with `purchasable` false. A page can be shorter than `limit`; follow `hasMore`. The same change can be reported more than once.",
      querystring: Type.Object({
        limit: pageParameters.limit,
        since: Type.Optional(
          Type.String({
            description: "`nextCursor` of the previous page, unchanged. Omit it to start from now.",
          }),
        ),
      }),
      response: { 200: jsonReply("What changed.", CatalogChangePage) },
    },
    handler: async (request) => {
      const caller = callerOf(request);
      // An empty one is refused: a caller whose cursor got lost would miss everything before now.
      const since = queryFilter(request, "since");
      const scope = changesCursorScope(caller);
      const after = since === undefined ? undefined : deps.cursors.decode(scope, since, "since");
      return listChanges(deps, caller, { limit: readLimit(queryText(request, "limit")), after });
    },
  });
}
