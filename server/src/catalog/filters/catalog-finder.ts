import { setImmediate } from "node:timers/promises";
import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { purchasePrice } from "../prices/purchase-price.ts";
import { type CatalogRow, type CatalogView, findCatalogRows } from "../queries.ts";
import { type CatalogFilters, wordsOf } from "./catalog-filters.ts";
import { findScopeHeads, type ScopeHeads } from "./index-queries.ts";
import { createPriceSets, type PriceSet } from "./price-sets.ts";
import { createProductIndex, searchText } from "./product-index.ts";

export type FoundProducts = CatalogView<CatalogRow> & {
  /** Whether there are more after the last id. */
  hasMore: boolean;
  lastId: string;
  /** Whether the products are exactly what matched at the revision. Otherwise they must not be kept under it. */
  isSettled: boolean;
};

export type CatalogFinder = {
  find(
    tenant: Tenant,
    filters: CatalogFilters,
    page: { afterId: string; limit: number },
  ): Promise<FoundProducts>;
};

/** While others write, the second look usually finds both reads at the same revision. */
const ROUNDS_MAX = 3;
/** Other requests are served in between. */
const EXAMINED_AT_ONCE = 25_000;

/**
 * Finds a page of products by filters. Ids come from the index in memory, which is brought up to date first, and the products
 * from the database. A page costs a look at each product at most, however few match and wherever the page is.
 */
export function createCatalogFinder(db: Db): CatalogFinder {
  const index = createProductIndex(db);
  const sets = createPriceSets(db, index.slotOf);

  const findIds = async (
    { resellerId, environment }: Tenant,
    heads: ScopeHeads,
    filters: CatalogFilters,
    page: { afterId: string; limit: number },
  ): Promise<string[]> => {
    await index.sync(heads.all);
    const seen = await sets.sync(resellerId, heads);
    const accepts = createJudge(filters, environment, { ...seen, isAvailable: index.isAvailable });
    const ids: string[] = [];
    let afterId: string | undefined = page.afterId;
    while (afterId !== undefined) {
      const from = { afterId, found: page.limit - ids.length, examined: EXAMINED_AT_ONCE };
      const scan = index.scan(filters, accepts, from);
      ids.push(...scan.ids);
      if (ids.length === page.limit) return ids;
      afterId = scan.lastId;
      if (afterId !== undefined) await setImmediate();
    }
    return ids;
  };

  return {
    async find(tenant, filters, page) {
      for (let round = 1; ; round += 1) {
        const heads = await findScopeHeads(db, tenant.resellerId);
        const ids = await findIds(tenant, heads, filters, { ...page, limit: page.limit + 1 });
        const shown = ids.slice(0, page.limit);
        const view = await findCatalogRows(db, tenant.resellerId, shown);
        const isSettled = view.catalogRevision === heads.catalogRevision;
        if (!isSettled && round < ROUNDS_MAX) continue;
        return {
          ...view,
          // What changed between the two reads may no longer match.
          products: isSettled
            ? view.products
            : view.products.filter((row) => rowMatches(row, filters, tenant)),
          hasMore: ids.length > page.limit,
          lastId: shown.at(-1) ?? "",
          isSettled,
        };
      }
    },
  };
}

/** What depends on the reseller: listing and price. */
function createJudge(
  { purchasable }: CatalogFilters,
  environment: Tenant["environment"],
  { own, list, isAvailable }: { own: PriceSet; list: PriceSet; isAvailable(slot: number): boolean },
): (slot: number) => boolean {
  return (slot) => {
    if (own.unlisted.has(slot)) return false;
    if (purchasable === undefined) return true;
    const isPriced = own.priced.has(slot) || (list.priced.has(slot) && !own.withheld.has(slot));
    const amountMinor = isPriced ? 1n : null;
    const supply = isAvailable(slot) ? "available" : "empty";
    return (typeof purchasePrice({ amountMinor, supply }, environment) === "bigint") === purchasable;
  };
}

function rowMatches(row: CatalogRow, filters: CatalogFilters, { environment }: Tenant): boolean {
  const isPurchasable = typeof purchasePrice(row, environment) === "bigint";
  return (
    (["brand", "category", "country", "type"] as const).every(
      (name) => filters[name] === undefined || filters[name] === row[name],
    ) &&
    wordsOf(filters.q).every((word) => searchText(row).includes(word)) &&
    (filters.purchasable === undefined || filters.purchasable === isPurchasable)
  );
}
