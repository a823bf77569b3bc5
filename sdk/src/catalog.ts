import type { Connection } from "./http/connection.ts";
import type { Listing } from "./http/listing.ts";
import { perform } from "./http/perform.ts";
import { read, readList, segment } from "./http/read.ts";
import { REPLIES } from "./http/replies.ts";
import type { AccountCheck, CallOptions, CatalogProduct, PageFilters, Product } from "./types.ts";

export type CatalogMethods = {
  /** The products that you can sell, ordered by id. */
  list(filters?: PageFilters, options?: CallOptions): Listing<CatalogProduct>;
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

export const catalogMethods = (connection: Connection): CatalogMethods => ({
  list: (filters, options) =>
    readList(connection, () => "/v1/catalog", REPLIES.listCatalog, filters, options),
});

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
