import { getSubtle, toHex } from "../web-crypto.js";
/**
 * The Service-Signature header that the API would send with this body: for tests of a receiver, and for forwarding a
 * delivery. Several secrets all sign, in order, as during a rotation.
 */
export async function signWebhook(rawBody, secret, { timestampSeconds = Math.floor(Date.now() / 1000) } = {}) {
    if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0) {
        throw new RangeError("timestampSeconds must be an integer from 0");
    }
    const time = String(timestampSeconds);
    const signatures = await computeSignatures(toSecrets(secret), time, toBytes(rawBody));
    return [`t=${time}`, ...signatures.map((signature) => `v1=${toHex(signature)}`)].join(",");
}
/** SPEC.md, Events: HMAC-SHA256 over time, dot and body, keyed with the whole secret, including its prefix. */
export async function computeSignatures(secrets, time, body) {
    const subtle = await getSubtle();
    const signed = concat(new TextEncoder().encode(`${time}.`), body);
    return Promise.all(secrets.map(async (secret) => {
        const bytes = new TextEncoder().encode(secret);
        const key = await subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
        return new Uint8Array(await subtle.sign("HMAC", key, signed));
    }));
}
/** Secrets are never quoted, because errors end up in logs. */
export function toSecrets(secret) {
    const secrets = typeof secret === "string" ? [secret] : secret;
    const areSecrets = Array.isArray(secrets) && secrets.every((text) => typeof text === "string" && text !== "");
    if (!areSecrets || secrets.length === 0) {
        throw new RangeError("secret must be the webhook's signing secret, which starts with whsec_, or a list of secrets");
    }
    return secrets;
}
export function toBytes(rawBody) {
    if (typeof rawBody === "string")
        return new TextEncoder().encode(rawBody);
    // Not by `instanceof`: a test runner's sandbox has a different Uint8Array.
    if (ArrayBuffer.isView(rawBody)) {
        return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength);
    }
    if (Object.prototype.toString.call(rawBody) === "[object ArrayBuffer]")
        return new Uint8Array(rawBody);
    // A framework parsed it. Serialised again it can be different bytes from those that were signed.
    throw new TypeError("rawBody must be the raw body, a string or bytes, not a parsed object");
}
function concat(first, second) {
    const both = new Uint8Array(first.length + second.length);
    both.set(first);
    both.set(second, first.length);
    return both;
}
