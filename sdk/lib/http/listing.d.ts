import type { Page } from "../types/common.js";
/**
 * A list that has not been requested yet. `await` returns its first page. `for await` iterates the items of all pages, and
 * `pages()` iterates page by page; each page is requested when the previous one is used up. Returned from an async function,
 * it is awaited like every promise, and only the first page is returned.
 */
export type Listing<T> = Promise<Page<T>> & AsyncIterable<T> & {
    pages(): AsyncIterable<Page<T>>;
};
/** Awaited twice, it is requested once, like every promise. Each iteration starts again. */
export declare function toListing<T>(readPage: (cursor: string | undefined) => Promise<Page<T>>, start?: string): Listing<T>;
