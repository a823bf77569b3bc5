/** A response that does not match the API. The message names the place and never the value. */
export class ShapeError extends Error {
}
export const text = { kind: "text" };
export const flag = { kind: "flag" };
/** An integer from 0. */
export const count = { kind: "count" };
export const integer = { kind: "integer" };
/** Strings by names that come from the response, so an error never quotes the names. */
export const texts = { kind: "texts" };
export const wordOf = (words) => ({
    kind: "text",
    words,
});
export const list = (item) => ({ kind: "list", item });
export const optional = (shape) => ({ kind: "optional", shape });
export const object = (members) => ({
    kind: "object",
    members: members,
});
/** Additional members are accepted: later versions of the API can add some. */
export function readAs(shape, body) {
    check(shape, body, "");
    return body;
}
function check(shape, value, at) {
    if (shape.kind === "list")
        checkList(shape.item, value, at);
    else if (shape.kind === "object")
        checkMembers(shape.members, value, at);
    else if (!IS_RIGHT[shape.kind](value))
        throw wrong(at);
}
const isText = (value) => typeof value === "string";
const IS_RIGHT = {
    text: isText,
    flag: (value) => typeof value === "boolean",
    count: (value) => Number.isSafeInteger(value) && value >= 0,
    integer: (value) => Number.isSafeInteger(value),
    texts: (value) => isRecord(value) && Object.values(value).every(isText),
};
function checkList(item, value, at) {
    if (!Array.isArray(value))
        throw wrong(at);
    for (const [index, it] of value.entries())
        check(item, it, `${at}[${index}]`);
}
function checkMembers(members, value, at) {
    if (!isRecord(value))
        throw wrong(at);
    for (const [name, shape] of Object.entries(members)) {
        const path = at === "" ? name : `${at}.${name}`;
        if (shape.kind !== "optional")
            check(shape, value[name], path);
        else if (value[name] !== undefined)
            check(shape.shape, value[name], path);
    }
}
export const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const wrong = (at) => new ShapeError(`${at || "the body"} is missing or wrong`);
