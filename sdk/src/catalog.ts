import type { Connection } from "./http/connection.ts";
import type { Listing } from "./http/listing.ts";
import { perform } from "./http/perform.ts";
import { read, readList, segment, toQuery } from "./http/read.ts";
import { REPLIES } from "./http/replies.ts";
import type {
  AccountCheck,
  CatalogChangeFilters,
  CatalogChangePage,
  CatalogFilters,
  CatalogProduct,
  Product,
} from "./types/catalog.ts";
import type { CallOptions } from "./types/common.ts";

export type CatalogMethods = {
  /** The products that you can sell, ordered by id. */
  list(filters?: CatalogFilters, options?: CallOptions): Listing<CatalogProduct>;
  /** One page of what changed. Without `since` it is empty, and its `nextCursor` starts from now. */
  changes(filters?: CatalogChangeFilters, options?: CallOptions): Promise<CatalogChangePage>;
  /**
   * Page after page of what changed, until there is nothing more right now. Apply the changes of a page, then store its
   * `nextCursor`: it is where you go on, also after a restart.
   */
  follow(filters: CatalogChangeFilters, options?: CallOptions): AsyncGenerator<CatalogChangePage, void, void>;
};

export type ProductMethods = {
  get(id: string, options?: CallOptions): Promise<Product>;
  /** Whether the account that a top-up would go to exists. Nothing is bought. */
  check(
    id: string,
    inputFields: Readonly<Record<string, string | number>>,
    options?: CallOptions,
  ): Promise<AccountCheck>;
};

export const catalogMethods = (connection: Connection): CatalogMethods => {
  const changes: CatalogMethods["changes"] = (filters = {}, options) =>
    read(connection, `/v1/catalog/changes${toQuery({ ...filters })}`, REPLIES.listCatalogChanges, options);
  return {
    list: (filters, options) =>
      readList(connection, () => "/v1/catalog", REPLIES.listCatalog, filters, options),
    changes,
    async *follow(filters, options) {
      let { since } = filters;
      for (;;) {
        const page = await changes({ ...filters, since }, options);
        yield page;
        if (!page.hasMore) return;
        since = page.nextCursor;
      }
    },
  };
};

export const productMethods = (connection: Connection): ProductMethods => ({
  get: async (id, options) =>
    (await read(connection, `/v1/products/${segment(id)}`, REPLIES.getProduct, options)).product,
  async check(id, inputFields, options) {
    const call = {
      method: "POST",
      path: `/v1/products/${segment(id)}/check`,
      body: { inputFields },
      expected: 200,
      shape: REPLIES.checkProductAccount,
      isRepeatable: true,
    } as const;
    return (await perform(connection, call, options)).value;
  },
});
