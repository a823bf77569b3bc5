import type { Bytes } from "./hpke.js";
export declare function toBase64url(bytes: Uint8Array): string;
/** Undefined if it is not base64url. Padding may be there. */
export declare function fromBase64url(text: string): Bytes | undefined;
