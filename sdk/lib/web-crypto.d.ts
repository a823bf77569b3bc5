type WebCrypto = typeof globalThis.crypto;
/** Web Crypto's hashing and signing. Browsers give it to pages from https and localhost alone. */
export declare function getSubtle(): Promise<WebCrypto["subtle"]>;
/** A random UUID, made by hand because a page from plain http has random bytes and no `randomUUID`. */
export declare function randomUuid(): Promise<string>;
export declare const toHex: (bytes: Uint8Array) => string;
export {};
