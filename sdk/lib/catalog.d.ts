import type { Connection } from "./http/connection.js";
import type { Listing } from "./http/listing.js";
import type { AccountCheck, CallOptions, CatalogProduct, PageFilters, Product } from "./types.js";
export type CatalogMethods = {
    /** The products that you can sell, ordered by id. */
    list(filters?: PageFilters, options?: CallOptions): Listing<CatalogProduct>;
};
export type ProductMethods = {
    get(id: string, options?: CallOptions): Promise<Product>;
    /** Whether the account that a top-up would go to exists. Nothing is bought. */
    check(id: string, inputFields: Readonly<Record<string, string | number>>, options?: CallOptions): Promise<AccountCheck>;
};
export declare const catalogMethods: (connection: Connection) => CatalogMethods;
export declare const productMethods: (connection: Connection) => ProductMethods;
