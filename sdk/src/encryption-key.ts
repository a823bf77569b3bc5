import type { Connection } from "./http/connection.ts";
import { perform } from "./http/perform.ts";
import { read } from "./http/read.ts";
import { REPLIES } from "./http/replies.ts";
import type { EncryptionKey } from "./types/codes.ts";
import type { CallOptions } from "./types/common.ts";

const PATH = "/v1/encryption-key";

export type EncryptionKeyMethods = {
  /** The key that codes are sealed to, if there is one. */
  get(options?: CallOptions): Promise<EncryptionKey | undefined>;
  /** From now on codes are sealed to this X25519 public key (32 bytes in base64url). See `createEncryptionKeyPair`. */
  register(publicKey: string, options?: CallOptions): Promise<EncryptionKey>;
  /** Codes are no longer sealed. Those that were sealed stay so. */
  remove(options?: CallOptions): Promise<void>;
};

export const encryptionKeyMethods = (connection: Connection): EncryptionKeyMethods => ({
  get: async (options) => (await read(connection, PATH, REPLIES.getEncryptionKey, options)).encryptionKey,
  async register(publicKey, options) {
    const call = {
      method: "PUT",
      path: PATH,
      body: { publicKey },
      expected: 200,
      shape: REPLIES.registerEncryptionKey,
      isRepeatable: true,
    } as const;
    const { value } = await perform(connection, call, options);
    return value.encryptionKey;
  },
  async remove(options) {
    const shape = REPLIES.removeEncryptionKey;
    await perform(
      connection,
      { method: "DELETE", path: PATH, expected: 200, shape, isRepeatable: true },
      options,
    );
  },
});
