const UUID_BYTES = 16;
/** Concatenated, so that a bundler for the browser does not try to resolve it. */
const NODE_CRYPTO = ["node", "crypto"].join(":");
/** Web Crypto's hashing and signing. Browsers provide it only to pages from https and localhost. */
export async function getSubtle() {
    const { subtle } = await getWebCrypto();
    if (subtle === undefined)
        throw new Error("Web Crypto is not available: load this page over https");
    return subtle;
}
export async function randomBytes(count) {
    return (await getWebCrypto()).getRandomValues(new Uint8Array(count));
}
/** A random UUID. A page from plain http has random bytes but no `randomUUID`. */
export async function randomUuid() {
    const bytes = await randomBytes(UUID_BYTES);
    // RFC 9562: the version is in the seventh byte, the variant in the ninth.
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = toHex(bytes);
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
/** Node 18 has it, but not as a global. */
async function getWebCrypto() {
    const { crypto } = globalThis;
    if (crypto !== undefined)
        return crypto;
    const node = await import(/* webpackIgnore: true */ /* @vite-ignore */ NODE_CRYPTO);
    return node.webcrypto;
}
