import { localError } from "../errors.js";
/** Awaited twice, it is requested once, like every promise. Each iteration starts again. */
export function toListing(readPage, start) {
    let first;
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
async function* walkPages(readPage, start) {
    const followed = new Set([start ?? ""]);
    for (let cursor = start;;) {
        const page = await readPage(cursor);
        yield page;
        if (!page.hasMore)
            return;
        // The iteration would never end, with the same items again and again.
        if (followed.has(page.nextCursor)) {
            throw localError("invalid_response", "The API returned the same cursor twice.");
        }
        cursor = page.nextCursor;
        followed.add(cursor);
    }
}
async function* walkItems(pages) {
    for await (const page of pages)
        yield* page.data;
}
