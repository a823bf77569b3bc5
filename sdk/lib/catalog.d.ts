import type { Connection } from "./http/connection.js";
import type { Listing } from "./http/listing.js";
import type { AccountCheck, CatalogChangeFilters, CatalogChangePage, CatalogFilters, CatalogProduct, Product } from "./types/catalog.js";
import type { CallOptions } from "./types/common.js";
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
    check(id: string, inputFields: Readonly<Record<string, string | number>>, options?: CallOptions): Promise<AccountCheck>;
};
export declare const catalogMethods: (connection: Connection) => CatalogMethods;
export declare const productMethods: (connection: Connection) => ProductMethods;
