const UUID_BYTES = 16;
/** Put together here, so that a bundler for the browser does not go looking for it. */
const NODE_CRYPTO = ["node", "crypto"].join(":");
/** Web Crypto's hashing and signing. Browsers give it to pages from https and localhost alone. */
export async function getSubtle() {
    const { subtle } = await getWebCrypto();
    if (subtle === undefined)
        throw new Error("this page has no Web Crypto: it was not loaded over https");
    return subtle;
}
/** A random UUID, made by hand because a page from plain http has random bytes and no `randomUUID`. */
export async function randomUuid() {
    const crypto = await getWebCrypto();
    const bytes = crypto.getRandomValues(new Uint8Array(UUID_BYTES));
    // RFC 9562: version 4 stands in the seventh byte, the variant in the ninth.
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = toHex(bytes);
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
/** Node 18 has it all, but not as a global. */
async function getWebCrypto() {
    const { crypto } = globalThis;
    if (crypto !== undefined)
        return crypto;
    const node = await import(/* webpackIgnore: true */ /* @vite-ignore */ NODE_CRYPTO);
    return node.webcrypto;
}
