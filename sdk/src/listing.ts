import { localError } from "./errors.ts";
import type { Page } from "./types.ts";

/**
 * A list that has not been asked for yet. Awaited it is its first page; `for await` walks through the items of all pages,
 * and through `pages()` page by page, each asked for when the one before is used up. Returned from an async function it is
 * awaited, as every promise is, and only its first page comes out.
 */
export type Listing<T> = Promise<Page<T>> & AsyncIterable<T> & { pages(): AsyncIterable<Page<T>> };

/** Awaited twice it is asked for once, as with every promise; each iteration begins anew. */
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
    // biome-ignore lint/suspicious/noThenProperty: it is to be awaited, and nothing is asked for before.
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
    // It would lead round in a circle, with the same items again and again.
    if (followed.has(page.nextCursor)) {
      throw localError("invalid_response", "The API gave a cursor that it had given before.");
    }
    cursor = page.nextCursor;
    followed.add(cursor);
  }
}

async function* walkItems<T>(pages: AsyncIterable<Page<T>>): AsyncGenerator<T, void, undefined> {
  for await (const page of pages) yield* page.data;
}
