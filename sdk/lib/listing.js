import { localError } from "./errors.js";
/** Awaited twice it is asked for once, as with every promise; each iteration begins anew. */
export function toListing(readPage, start) {
    let first;
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
async function* walkPages(readPage, start) {
    const followed = new Set([start ?? ""]);
    for (let cursor = start;;) {
        const page = await readPage(cursor);
        yield page;
        if (!page.hasMore)
            return;
        // It would lead round in a circle, with the same items again and again.
        if (followed.has(page.nextCursor)) {
            throw localError("invalid_response", "The API gave a cursor that it had given before.");
        }
        cursor = page.nextCursor;
        followed.add(cursor);
    }
}
async function* walkItems(pages) {
    for await (const page of pages)
        yield* page.data;
}
