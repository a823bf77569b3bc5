import type { Connection } from "./http/connection.js";
import type { Listing } from "./http/listing.js";
import type { CallOptions, CatalogProduct, PageFilters, Product } from "./types.js";
export type CatalogMethods = {
    /** The products that you can sell, ordered by id. */
    list(filters?: PageFilters, options?: CallOptions): Listing<CatalogProduct>;
};
export type ProductMethods = {
    get(id: string, options?: CallOptions): Promise<Product>;
};
export declare const catalogMethods: (connection: Connection) => CatalogMethods;
export declare const productMethods: (connection: Connection) => ProductMethods;
