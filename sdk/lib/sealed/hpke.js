import { getSubtle } from "../web-crypto.js";
export const AES_256_GCM = { id: 2, keyBytes: 32 };
export const AES_128_GCM = { id: 1, keyBytes: 16 };
export const X25519_BYTES = 32;
const NONCE_BYTES = 12;
const HASH_BYTES = 32;
const X25519 = { name: "X25519" };
export async function hpkeOpen({ privateKey, publicKey }, { enc, ciphertext, info, aad = NOTHING, aead = AES_256_GCM }) {
    const subtle = await getSubtle();
    const dh = await agree(privateKey, enc);
    const { key, nonce } = await schedule(dh, concat(enc, publicKey), info, aead);
    const cipher = await subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
    return new Uint8Array(await subtle.decrypt({ name: "AES-GCM", iv: nonce, additionalData: aad }, cipher, ciphertext));
}
/** A key from the 32 bytes of its private key. The public key is that many times the base point. */
export async function x25519KeyOf(privateBytes) {
    if (privateBytes.length !== X25519_BYTES)
        throw new RangeError("the private key must have 32 bytes");
    const subtle = await getSubtle();
    const encoded = concat(PKCS8_HEAD, privateBytes);
    const privateKey = await subtle.importKey("pkcs8", encoded, X25519, false, ["deriveBits"]).catch(() => {
        throw new Error("This runtime's Web Crypto has no X25519.");
    });
    const basePoint = new Uint8Array(X25519_BYTES);
    basePoint[0] = 9;
    return { privateKey, publicKey: await agree(privateKey, basePoint) };
}
const PKCS8_HEAD = new Uint8Array([48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 110, 4, 34, 4, 32]);
async function agree(privateKey, publicBytes) {
    const subtle = await getSubtle();
    const publicKey = await subtle.importKey("raw", publicBytes, X25519, false, []);
    return new Uint8Array(await subtle.deriveBits({ ...X25519, public: publicKey }, privateKey, 256));
}
/** RFC 9180, 4.1 (ExtractAndExpand) and 5.1 (KeySchedule of the base mode). */
async function schedule(dh, kemContext, info, aead) {
    const prk = await extract(NO_SALT, KEM, "eae_prk", dh);
    const shared = await expand(prk, KEM, "shared_secret", kemContext, HASH_BYTES);
    const suite = concat(utf8("HPKE"), twoBytes(0x20), twoBytes(1), twoBytes(aead.id));
    const context = concat(new Uint8Array(1), await extract(NO_SALT, suite, "psk_id_hash", NOTHING), await extract(NO_SALT, suite, "info_hash", info));
    const secret = await extract(shared, suite, "secret", NOTHING);
    return {
        key: await expand(secret, suite, "key", context, aead.keyBytes),
        nonce: await expand(secret, suite, "base_nonce", context, NONCE_BYTES),
    };
}
export const utf8 = (text) => new TextEncoder().encode(text);
const twoBytes = (value) => new Uint8Array([value >> 8, value & 0xff]);
function concat(...parts) {
    const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
        all.set(part, at);
        at += part.length;
    }
    return all;
}
const NOTHING = new Uint8Array(0);
/** As a key of HMAC it is the same as an empty one, which Web Crypto does not accept. */
const NO_SALT = new Uint8Array(HASH_BYTES);
const KEM = concat(utf8("KEM"), twoBytes(0x20));
const VERSION = utf8("HPKE-v1");
async function hmac(key, text) {
    const subtle = await getSubtle();
    const imported = await subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return new Uint8Array(await subtle.sign("HMAC", imported, text));
}
/** LabeledExtract. */
const extract = (salt, suite, label, ikm) => hmac(salt, concat(VERSION, suite, utf8(label), ikm));
/** LabeledExpand. No output here is longer than one block of SHA-256. */
const expand = async (prk, suite, label, info, length) => (await hmac(prk, concat(twoBytes(length), VERSION, suite, utf8(label), info, new Uint8Array([1])))).slice(0, length);
