import { toListing } from "./listing.js";
import { perform } from "./perform.js";
import { text } from "./shapes.js";
/** A GET of one object. */
export async function read(connection, path, shape, options) {
    const call = { method: "GET", path, expected: 200, shape, isRepeatable: true };
    return (await perform(connection, call, options)).value;
}
/** A GET of a list. Every page sends the filters, because a cursor is bound to them. */
export function readList(connection, toPath, shape, filters = {}, options) {
    return toListing(async (cursor) => read(connection, toPath() + toQuery({ ...filters, cursor }), shape, options), filters.cursor);
}
/** A GET of the same as CSV. */
export async function readCsv(connection, path, filters = {}, options) {
    const call = {
        method: "GET",
        path: path + toQuery(filters),
        expected: 200,
        shape: text,
        readsCsv: true,
        isRepeatable: true,
    };
    const { value, headers } = await perform(connection, call, options);
    const cursor = NEXT_CURSOR.exec(headers.get("link") ?? "")?.[1] ?? "";
    return { csv: value, nextCursor: decodeURIComponent(cursor) };
}
const NEXT_CURSOR = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/;
/** An id that a path would drop or read as a parent folder must not become another request. */
export function segment(id) {
    if (typeof id !== "string" || !/[^.]/.test(id))
        throw new RangeError("the id is not valid");
    return encodeURIComponent(id);
}
export function toQuery(filters) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(filters)) {
        if (value instanceof Date)
            query.set(name, value.toISOString());
        else if (value !== undefined)
            query.set(name, String(value));
    }
    const text = query.toString();
    return text === "" ? "" : `?${text}`;
}
