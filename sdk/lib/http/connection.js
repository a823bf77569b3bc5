import { REAL_TIMING } from "./timing.js";
const DEFAULT_TIMEOUT_MS = 15_000;
const DEFAULT_RETRIES = 2;
const RETRIES_MAX = 10;
const DEFAULT_MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** A timer set to more than this fires at once. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;
const API_KEY = /^sc_(?:live|test)_[0-9A-Za-z]{1,200}$/;
export function openConnection(options) {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES } = options;
    const { maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = options;
    // The value is never quoted: if the settings were mixed up, it is the key.
    if (typeof options.apiKey !== "string" || !API_KEY.test(options.apiKey)) {
        throw new RangeError("apiKey must be an API key that starts with sc_live_ or sc_test_");
    }
    if (!Number.isSafeInteger(maxResponseBytes) || maxResponseBytes < 1) {
        throw new RangeError("maxResponseBytes must be a positive integer");
    }
    return {
        baseUrl: toBaseUrl(options.baseUrl),
        apiKey: options.apiKey,
        timeoutMs: checkTimeout(timeoutMs),
        retries: checkRetries(retries),
        maxResponseBytes,
        // Looked up at each call, so that a later replacement of the global, such as a test's, is used.
        fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
        timing: options.timing ?? REAL_TIMING,
    };
}
export function checkTimeout(timeoutMs) {
    if (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= TIMEOUT_MAX_MS)
        return timeoutMs;
    throw new RangeError(`timeoutMs must be an integer from 1 to ${TIMEOUT_MAX_MS}`);
}
export function checkRetries(retries) {
    if (Number.isInteger(retries) && retries >= 0 && retries <= RETRIES_MAX)
        return retries;
    throw new RangeError(`retries must be an integer from 0 to ${RETRIES_MAX}`);
}
function toBaseUrl(text) {
    const fault = new RangeError("baseUrl must be an http or https URL without credentials, query or fragment");
    let url;
    try {
        url = new URL(text);
    }
    catch {
        throw fault;
    }
    const isPlain = url.username === "" && url.password === "" && !/[?#]/.test(text);
    if (!isPlain || !["http:", "https:"].includes(url.protocol))
        throw fault;
    return url.origin + url.pathname.replace(/\/+$/, "");
}
