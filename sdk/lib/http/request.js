import { localError, ScripError } from "../errors.js";
import { startDeadline } from "./deadline.js";
import { toProblemError } from "./problem.js";
import { readBytes } from "./read-bytes.js";
import { readAs, ShapeError } from "./shapes.js";
/** One try of a call. The deadline covers all of it, regardless of how fetch treats the signal. */
export async function request(connection, call, { timeoutMs, signal }) {
    const deadline = startDeadline(timeoutMs, signal);
    try {
        return await deadline.race(exchange(connection, call, deadline.signal));
    }
    catch (error) {
        // The rest of the response is not needed.
        deadline.abandon();
        throw error;
    }
    finally {
        deadline.clear();
    }
}
async function exchange(connection, call, signal) {
    signal.throwIfAborted();
    const response = await reach(() => send(connection, call, signal));
    const context = contextOf(response, connection.apiKey);
    if (isRedirect(response)) {
        throw localError("invalid_response", "The API responded with a redirect, which is not followed.", context);
    }
    const bytes = await reach(() => readBytes(response, connection.maxResponseBytes));
    if (!bytes)
        throw localError("invalid_response", "The API's response is too large.", context);
    if (call.readsCsv && response.status === call.expected) {
        return readCsv(response, bytes, context);
    }
    const body = parseJson(bytes);
    if (response.status !== call.expected) {
        const isProblem = hasType(response, "application/problem+json");
        throw toProblemError(isProblem ? body : undefined, context, connection.apiKey);
    }
    if (body === undefined || !hasType(response, "application/json")) {
        throw localError("invalid_response", "The API's response is not JSON.", context);
    }
    return { value: readShape(call, body, context), headers: response.headers };
}
/** An error of fetch can quote the headers, so only its code, such as ECONNREFUSED, is kept. */
async function reach(attempt) {
    try {
        return await attempt();
    }
    catch (error) {
        if (error instanceof ScripError)
            throw error;
        const code = error?.cause?.code;
        const told = typeof code === "string" && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? ` (${code})` : "";
        throw localError("connection_failed", `The connection to the API failed${told}.`);
    }
}
function send({ fetch, baseUrl, apiKey }, { method, path, headers, body, readsCsv }, signal) {
    return fetch(baseUrl + path, {
        method,
        headers: {
            ...headers,
            accept: `${readsCsv ? "text/csv" : "application/json"}, application/problem+json`,
            "x-api-key": apiKey,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body }),
        // A redirect would send the key to the host that it names.
        redirect: "manual",
        signal,
    });
}
/** Browsers hide the target of a redirect, and its status. */
const isRedirect = ({ type, status }) => type === "opaqueredirect" || (status >= 300 && status < 400);
function contextOf({ status, headers }, apiKey) {
    const requestId = headers.get("x-request-id") ?? "";
    const isUsable = /^[\x21-\x7e]{1,100}$/.test(requestId) && !requestId.includes(apiKey);
    return {
        status,
        requestId: isUsable ? requestId : undefined,
        retryAfterMs: toMilliseconds(headers.get("retry-after")),
    };
}
/** Retry-After is a number of seconds, or a date if a proxy wrote it. */
function toMilliseconds(retryAfter) {
    if (retryAfter === null)
        return undefined;
    if (/^\d{1,9}$/.test(retryAfter))
        return Number(retryAfter) * 1000;
    const time = Date.parse(retryAfter);
    return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now());
}
function readCsv(response, bytes, context) {
    if (!hasType(response, "text/csv")) {
        throw localError("invalid_response", "The API's response is not CSV.", context);
    }
    return { value: new TextDecoder().decode(bytes), headers: response.headers };
}
/** The error of JSON.parse quotes the text, so it is not kept. */
function parseJson(bytes) {
    try {
        return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    }
    catch {
        return undefined;
    }
}
function hasType({ headers }, type) {
    const [given = ""] = (headers.get("content-type") ?? "").split(";", 1);
    return given.trim().toLowerCase() === type;
}
function readShape({ shape }, body, context) {
    try {
        return readAs(shape, body);
    }
    catch (error) {
        if (!(error instanceof ShapeError))
            throw error;
        throw localError("invalid_response", `The API's response does not match its description: ${error.message}.`, context);
    }
}
