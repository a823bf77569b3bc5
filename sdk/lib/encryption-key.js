import { perform } from "./http/perform.js";
import { read } from "./http/read.js";
import { REPLIES } from "./http/replies.js";
const PATH = "/v1/encryption-key";
export const encryptionKeyMethods = (connection) => ({
    get: async (options) => (await read(connection, PATH, REPLIES.getEncryptionKey, options)).encryptionKey,
    async register(publicKey, options) {
        const call = {
            method: "PUT",
            path: PATH,
            body: { publicKey },
            expected: 200,
            shape: REPLIES.registerEncryptionKey,
            isRepeatable: true,
        };
        const { value } = await perform(connection, call, options);
        return value.encryptionKey;
    },
    async remove(options) {
        const shape = REPLIES.removeEncryptionKey;
        await perform(connection, { method: "DELETE", path: PATH, expected: 200, shape, isRepeatable: true }, options);
    },
});
