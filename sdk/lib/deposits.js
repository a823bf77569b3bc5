import { perform } from "./http/perform.js";
import { read, readList, segment } from "./http/read.js";
import { REPLIES } from "./http/replies.js";
import { randomUuid } from "./web-crypto.js";
export const depositMethods = (connection) => ({
    create: async (input, { idempotencyKey, ...options } = {}) => {
        const call = {
            method: "POST",
            path: "/v1/deposits",
            headers: { "idempotency-key": idempotencyKey ?? (await randomUuid()) },
            body: input,
            expected: 200,
            shape: REPLIES.requestDeposit,
            isRepeatable: true,
        };
        return (await perform(connection, call, options)).value.deposit;
    },
    get: async (id, options) => (await read(connection, `/v1/deposits/${segment(id)}`, REPLIES.getDeposit, options)).deposit,
    list: (filters, options) => readList(connection, () => "/v1/deposits", REPLIES.listDeposits, filters, options),
});
