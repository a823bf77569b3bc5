import type { Page } from "./types.js";
/**
 * A list that has not been asked for yet. Awaited it is its first page; `for await` walks through the items of all pages,
 * and through `pages()` page by page, each asked for when the one before is used up. Returned from an async function it is
 * awaited, as every promise is, and only its first page comes out.
 */
export type Listing<T> = Promise<Page<T>> & AsyncIterable<T> & {
    pages(): AsyncIterable<Page<T>>;
};
/** Awaited twice it is asked for once, as with every promise; each iteration begins anew. */
export declare function toListing<T>(readPage: (cursor: string | undefined) => Promise<Page<T>>, start?: string): Listing<T>;
