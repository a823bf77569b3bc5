type WebCrypto = typeof globalThis.crypto;
/** Web Crypto's hashing and signing. Browsers provide it only to pages from https and localhost. */
export declare function getSubtle(): Promise<WebCrypto["subtle"]>;
export declare function randomBytes(count: number): Promise<Uint8Array<ArrayBuffer>>;
/** A random UUID. A page from plain http has random bytes but no `randomUUID`. */
export declare function randomUuid(): Promise<string>;
export declare const toHex: (bytes: Uint8Array) => string;
export {};
