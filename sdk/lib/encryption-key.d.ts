import type { Connection } from "./http/connection.js";
import type { EncryptionKey } from "./types/codes.js";
import type { CallOptions } from "./types/common.js";
export type EncryptionKeyMethods = {
    /** The key that codes are sealed to, if there is one. */
    get(options?: CallOptions): Promise<EncryptionKey | undefined>;
    /** From now on codes are sealed to this X25519 public key (32 bytes in base64url). See `createEncryptionKeyPair`. */
    register(publicKey: string, options?: CallOptions): Promise<EncryptionKey>;
    /** Codes are no longer sealed. Those that were sealed stay so. */
    remove(options?: CallOptions): Promise<void>;
};
export declare const encryptionKeyMethods: (connection: Connection) => EncryptionKeyMethods;
