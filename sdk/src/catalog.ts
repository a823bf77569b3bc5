import type { Connection } from "./http/connection.ts";
import type { Listing } from "./http/listing.ts";
import { read, readList, segment } from "./http/read.ts";
import { REPLIES } from "./http/replies.ts";
import type { CallOptions, CatalogProduct, PageFilters, Product } from "./types.ts";

export type CatalogMethods = {
  /** The products that you can sell, ordered by id. */
  list(filters?: PageFilters, options?: CallOptions): Listing<CatalogProduct>;
};

export type ProductMethods = {
  get(id: string, options?: CallOptions): Promise<Product>;
};

export const catalogMethods = (connection: Connection): CatalogMethods => ({
  list: (filters, options) =>
    readList(connection, () => "/v1/catalog", REPLIES.listCatalog, filters, options),
});

export const productMethods = (connection: Connection): ProductMethods => ({
  get: async (id, options) =>
    (await read(connection, `/v1/products/${segment(id)}`, REPLIES.getProduct, options)).product,
});
