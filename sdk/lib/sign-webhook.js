import { getSubtle, toHex } from "./web-crypto.js";
/**
 * The Service-Signature header that the API would send with this body: for tests of a receiver, and for passing a delivery
 * on. Of several secrets each signs, in their order, as during a rotation.
 */
export async function signWebhook(rawBody, secret, { timestampSeconds = Math.floor(Date.now() / 1000) } = {}) {
    if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0) {
        throw new RangeError("timestampSeconds must be a whole number of seconds from 0 on");
    }
    const time = String(timestampSeconds);
    const signatures = await computeSignatures(toSecrets(secret), time, toBytes(rawBody));
    return [`t=${time}`, ...signatures.map((signature) => `v1=${toHex(signature)}`)].join(",");
}
/** SPEC.md, Events: HMAC-SHA256 over time, dot and body, keyed with the secret as it was shown, prefix included. */
export async function computeSignatures(secrets, time, body) {
    const subtle = await getSubtle();
    const signed = concat(new TextEncoder().encode(`${time}.`), body);
    return Promise.all(secrets.map(async (secret) => {
        const bytes = new TextEncoder().encode(secret);
        const key = await subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
        return new Uint8Array(await subtle.sign("HMAC", key, signed));
    }));
}
/** None of them is quoted, because a log is no place for them. */
export function toSecrets(secret) {
    const secrets = typeof secret === "string" ? [secret] : secret;
    const areSecrets = Array.isArray(secrets) && secrets.every((text) => typeof text === "string" && text !== "");
    if (!areSecrets || secrets.length === 0) {
        throw new RangeError("secret must be the webhook's signing secret, whsec_ and what follows, or a list of them");
    }
    return secrets;
}
export function toBytes(rawBody) {
    if (typeof rawBody === "string")
        return new TextEncoder().encode(rawBody);
    // By what they are and not by `instanceof`: a test runner's sandbox has a Uint8Array of its own.
    if (ArrayBuffer.isView(rawBody)) {
        return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength);
    }
    if (Object.prototype.toString.call(rawBody) === "[object ArrayBuffer]")
        return new Uint8Array(rawBody);
    // Somebody's framework parsed it. Written out again it may be other bytes, and those are not what was signed.
    throw new TypeError("rawBody must be the body as it arrived, a string or bytes, and not what was parsed of it");
}
function concat(first, second) {
    const both = new Uint8Array(first.length + second.length);
    both.set(first);
    both.set(second, first.length);
    return both;
}
