import type { Connection } from "./connection.js";
import { type Listing } from "./listing.js";
import type { Shape } from "./shapes.js";
import type { CallOptions, Page, PageFilters } from "./types.js";
/** A GET of one thing. */
export declare function read<T>(connection: Connection, path: string, shape: Shape<T>, options?: CallOptions): Promise<T>;
/** A GET of a list; the filters go with every page, because a cursor is bound to them. */
export declare function readList<T>(connection: Connection, toPath: () => string, shape: Shape<Page<T>>, filters?: PageFilters, options?: CallOptions): Listing<T>;
/** An id that the path would lose or take for a step upward must not become another request. */
export declare function segment(id: string): string;
