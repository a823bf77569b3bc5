import type { Db } from "../db/database.ts";
import type { Caller, Tenant } from "../http/caller.ts";
import type { PageRequest } from "../http/page.ts";
import type { CursorCodec, CursorScope } from "../lib/cursor.ts";
import { toCatalogProduct } from "./product-view.ts";
import { listVisibleProducts } from "./queries.ts";
import type { RenderedReplies, RenderedReply } from "./rendered-replies.ts";

export const catalogCursorScope = ({ resellerId, environment }: Tenant): CursorScope => ({
  resellerId,
  environment,
  endpoint: "listCatalog",
  filters: {},
});

/** One rendered page of the catalog as the reseller sees it. */
export function listProducts(
  deps: { db: Db; cursors: CursorCodec; renderedReplies: RenderedReplies },
  caller: Caller,
  page: PageRequest,
  serialize: (value: unknown) => string,
): RenderedReply | Promise<RenderedReply> {
  const view = `catalog ${caller.resellerId} ${caller.environment} ${page.limit} ${page.after ?? ""}`;
  return deps.renderedReplies.get(view, caller.catalogRevision, async () => {
    // One extra row shows whether there is another page.
    const found = await listVisibleProducts(deps.db, caller.resellerId, {
      afterId: page.after ?? "",
      limit: page.limit + 1,
    });
    const shown = found.products.slice(0, page.limit);
    const last = shown.at(-1);
    const hasMore = found.products.length > page.limit;
    const buyer = { environment: caller.environment, currency: found.currency };
    const text = serialize({
      data: shown.map((row) => toCatalogProduct(row, buyer)),
      hasMore,
      nextCursor: hasMore && last ? deps.cursors.encode(catalogCursorScope(caller), last.id) : "",
    });
    return { catalogRevision: found.catalogRevision, text };
  });
}
