import { localError } from "../errors.ts";
import type { Page } from "../types/common.ts";

/**
 * A list that has not been requested yet. `await` returns its first page. `for await` iterates the items of all pages, and
 * `pages()` iterates page by page; each page is requested when the previous one is used up. Returned from an async function,
 * it is awaited like every promise, and only the first page is returned.
 */
export type Listing<T> = Promise<Page<T>> & AsyncIterable<T> & { pages(): AsyncIterable<Page<T>> };

/** Awaited twice, it is requested once, like every promise. Each iteration starts again. */
export function toListing<T>(
  readPage: (cursor: string | undefined) => Promise<Page<T>>,
  start?: string,
): Listing<T> {
  let first: Promise<Page<T>> | undefined;
  const ask = () => {
    first ??= readPage(start);
    return first;
  };
  const pages = () => walkPages(readPage, start);
  return {
    // biome-ignore lint/suspicious/noThenProperty: it must be awaitable, and nothing is requested before.
    then: (onPage, onError) => ask().then(onPage, onError),
    catch: (onError) => ask().catch(onError),
    finally: (onEnd) => ask().finally(onEnd),
    pages,
    [Symbol.asyncIterator]: () => walkItems(pages()),
    [Symbol.toStringTag]: "Listing",
  };
}

async function* walkPages<T>(
  readPage: (cursor: string | undefined) => Promise<Page<T>>,
  start: string | undefined,
): AsyncGenerator<Page<T>, void, undefined> {
  const followed = new Set([start ?? ""]);
  for (let cursor = start; ; ) {
    const page = await readPage(cursor);
    yield page;
    if (!page.hasMore) return;
    // The iteration would never end, with the same items again and again.
    if (followed.has(page.nextCursor)) {
      throw localError("invalid_response", "The API returned the same cursor twice.");
    }
    cursor = page.nextCursor;
    followed.add(cursor);
  }
}

async function* walkItems<T>(pages: AsyncIterable<Page<T>>): AsyncGenerator<T, void, undefined> {
  for await (const page of pages) yield* page.data;
}
