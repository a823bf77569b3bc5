import type { OrderCodesReply, PrivateKeys } from "../types/codes.js";
/** Both in base64url. Register the public key; the private key never leaves you. */
export type EncryptionKeyPair = {
    publicKey: string;
    privateKey: string;
    kid: string;
};
/** A sealed code does not open: there is no private key for it, or it was changed. */
export declare class SealedCodeError extends Error {
    /** The id of the public key that it was sealed to. */
    readonly kid: string;
    constructor(kid: string, message: string);
}
/** A new key pair for `encryptionKey.register`. */
export declare function createEncryptionKeyPair(): Promise<EncryptionKeyPair>;
/** The codes with those that are sealed opened. Others stay as they are. */
export declare function openCodes(codes: OrderCodesReply, privateKeys: PrivateKeys): Promise<OrderCodesReply>;
