import type { Db } from "../db/database.ts";
import type { Caller, Tenant } from "../http/caller.ts";
import type { PageRequest } from "../http/page.ts";
import type { CursorCodec, CursorScope } from "../lib/cursor.ts";
import { type CatalogFilters, hasFilters, toFilterTexts } from "./filters/catalog-filters.ts";
import type { CatalogFinder } from "./filters/catalog-finder.ts";
import { toProduct } from "./product-view.ts";
import { type CatalogRow, type CatalogView, listVisibleProducts } from "./queries.ts";
import type { Render, RenderedReplies, RenderedReply } from "./rendered-replies.ts";

export type CatalogDeps = {
  db: Db;
  cursors: CursorCodec;
  finder: CatalogFinder;
  renderedReplies: RenderedReplies;
  /** Pages with filters are kept apart: however many filters callers try, the other pages stay. */
  filteredReplies: RenderedReplies;
};

export const catalogCursorScope = (
  { resellerId, environment }: Tenant,
  filters: CatalogFilters,
): CursorScope => ({
  resellerId,
  environment,
  endpoint: "listCatalog",
  filters: toFilterTexts(filters),
});

/** One rendered page of the catalog as the reseller sees it. */
export function listProducts(
  deps: CatalogDeps,
  caller: Caller,
  { filters, ...page }: PageRequest & { filters: CatalogFilters },
  serialize: (value: unknown) => string,
): RenderedReply | Promise<RenderedReply> {
  const view = `catalog ${caller.resellerId} ${caller.environment} ${page.limit} ${page.after ?? ""}`;
  const toText = (found: CatalogPage): string => {
    const buyer = { environment: caller.environment, currency: found.currency };
    return serialize({
      data: found.products.map((row) => toProduct(row, buyer)),
      hasMore: found.hasMore,
      nextCursor: found.hasMore ? deps.cursors.encode(catalogCursorScope(caller, filters), found.lastId) : "",
    });
  };
  const wanted = { afterId: page.after ?? "", limit: page.limit };
  if (!hasFilters(filters))
    return deps.renderedReplies.get(view, caller.catalogRevision, async () => {
      const found = await listPage(deps.db, caller, wanted);
      return { catalogRevision: found.catalogRevision, text: toText(found) };
    });
  const render: Render = async () => {
    const found = await deps.finder.find(caller, filters, wanted);
    // A page of no one revision is sent, and kept under a name that no request asks for.
    const catalogRevision = found.isSettled ? found.catalogRevision : "";
    return { catalogRevision, text: toText(found) };
  };
  const filteredView = `${view} ${JSON.stringify(toFilterTexts(filters))}`;
  return deps.filteredReplies.get(filteredView, caller.catalogRevision, render);
}

type CatalogPage = CatalogView<CatalogRow> & { hasMore: boolean; lastId: string };

/** One extra row shows whether there is another page. */
export async function listPage(
  db: Db,
  { resellerId }: Tenant,
  page: { afterId: string; limit: number },
): Promise<CatalogPage> {
  const found = await listVisibleProducts(db, resellerId, {
    afterId: page.afterId,
    limit: page.limit + 1,
  });
  const products = found.products.slice(0, page.limit);
  const hasMore = found.products.length > page.limit;
  return { ...found, products, hasMore, lastId: products.at(-1)?.id ?? "" };
}
