/** A body as it travels. Bytes are signed as they are, a string as its UTF-8. */
export type RawBody = string | Uint8Array | ArrayBuffer;
export type SignWebhookOptions = {
    /** Unix time in seconds; now, when it is not given. */
    timestampSeconds?: number;
};
/**
 * The Service-Signature header that the API would send with this body: for tests of a receiver, and for passing a delivery
 * on. Of several secrets each signs, in their order, as during a rotation.
 */
export declare function signWebhook(rawBody: RawBody, secret: string | readonly string[], { timestampSeconds }?: SignWebhookOptions): Promise<string>;
/** SPEC.md, Events: HMAC-SHA256 over time, dot and body, keyed with the secret as it was shown, prefix included. */
export declare function computeSignatures(secrets: readonly string[], time: string, body: Uint8Array): Promise<Uint8Array[]>;
/** None of them is quoted, because a log is no place for them. */
export declare function toSecrets(secret: string | readonly string[]): readonly string[];
export declare function toBytes(rawBody: RawBody): Uint8Array;
