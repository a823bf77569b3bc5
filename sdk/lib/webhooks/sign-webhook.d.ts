/** A raw body. Bytes are signed unchanged, a string as its UTF-8. */
export type RawBody = string | Uint8Array | ArrayBuffer;
export type SignWebhookOptions = {
    /** Unix time in seconds. The default is now. */
    timestampSeconds?: number;
};
/**
 * The Service-Signature header that the API would send with this body: for tests of a receiver, and for forwarding a
 * delivery. Several secrets all sign, in order, as during a rotation.
 */
export declare function signWebhook(rawBody: RawBody, secret: string | readonly string[], { timestampSeconds }?: SignWebhookOptions): Promise<string>;
/** SPEC.md, Events: HMAC-SHA256 over time, dot and body, keyed with the whole secret, including its prefix. */
export declare function computeSignatures(secrets: readonly string[], time: string, body: Uint8Array): Promise<Uint8Array[]>;
/** Secrets are never quoted, because errors end up in logs. */
export declare function toSecrets(secret: string | readonly string[]): readonly string[];
export declare function toBytes(rawBody: RawBody): Uint8Array;
