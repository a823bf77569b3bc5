import { getSubtle } from "../web-crypto.js";
/**
 * Opens HPKE (RFC 9180) in base mode with DHKEM(X25519, HKDF-SHA256) and HKDF-SHA256, with Web Crypto alone. Codes use
 * AES-256-GCM. AES-128-GCM is here because the RFC has test vectors for it.
 */
export type Aead = {
    id: number;
    keyBytes: number;
};
export declare const AES_256_GCM: Aead;
export declare const AES_128_GCM: Aead;
export type Bytes = Uint8Array<ArrayBuffer>;
export type HpkeMessage = {
    enc: Bytes;
    ciphertext: Bytes;
    info: Bytes;
    aad?: Bytes;
    aead?: Aead;
};
type Key = Awaited<ReturnType<Awaited<ReturnType<typeof getSubtle>>["importKey"]>>;
/** A private key, with the bytes of its public key. */
export type X25519Key = {
    privateKey: Key;
    publicKey: Bytes;
};
export declare const X25519_BYTES = 32;
export declare function hpkeOpen({ privateKey, publicKey }: X25519Key, { enc, ciphertext, info, aad, aead }: HpkeMessage): Promise<Bytes>;
/** A key from the 32 bytes of its private key. The public key is that many times the base point. */
export declare function x25519KeyOf(privateBytes: Bytes): Promise<X25519Key>;
export declare const utf8: (text: string) => Bytes;
export {};
