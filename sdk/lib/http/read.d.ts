import type { CallOptions, CsvPage, Page, PageFilters } from "../types/common.js";
import type { Connection } from "./connection.js";
import { type Listing } from "./listing.js";
import { type Shape } from "./shapes.js";
/** A GET of one object. */
export declare function read<T>(connection: Connection, path: string, shape: Shape<T>, options?: CallOptions): Promise<T>;
/** A GET of a list. Every page sends the filters, because a cursor is bound to them. */
export declare function readList<T>(connection: Connection, toPath: () => string, shape: Shape<Page<T>>, filters?: PageFilters, options?: CallOptions): Listing<T>;
/** A GET of the same as CSV. */
export declare function readCsv(connection: Connection, path: string, filters?: PageFilters, options?: CallOptions): Promise<CsvPage>;
/** An id that a path would drop or read as a parent folder must not become another request. */
export declare function segment(id: string): string;
export declare function toQuery(filters: Readonly<Record<string, unknown>>): string;
