import { ScripError } from "./errors.js";
import { perform } from "./http/perform.js";
import { read, readCsv, readList, segment } from "./http/read.js";
import { REPLIES } from "./http/replies.js";
import { checkIdempotencyKey } from "./idempotency-key.js";
import { placeBatch } from "./place-batch.js";
import { openCodes } from "./sealed/open-codes.js";
import { waitForOrder } from "./wait-for-order.js";
import { randomUuid } from "./web-crypto.js";
export function orderMethods(connection) {
    const pathOf = (id) => `/v1/orders/${segment(id)}`;
    const get = async (id, options) => (await read(connection, pathOf(id), REPLIES.getOrder, options)).order;
    return {
        place: async (input, options) => place(connection, input, options),
        placeBatch: async (orders, options) => placeBatch(connection, orders, options),
        get,
        list: (filters, options) => readList(connection, () => "/v1/orders", REPLIES.listOrders, filters, options),
        listCsv: async (filters, options) => readCsv(connection, "/v1/orders", filters, options),
        codesCsv: async (id, options) => (await readCsv(connection, `${pathOf(id)}/codes`, {}, options)).csv,
        codes: async (id, options) => withOpen(await read(connection, `${pathOf(id)}/codes`, REPLIES.getOrderCodes, options)),
        timeline: async (id, options) => (await read(connection, `${pathOf(id)}/timeline`, REPLIES.getOrderTimeline, options)).data,
        wait: async (id, options) => waitForOrder(connection, (limits) => get(id, limits), options),
    };
}
/** Not enumerable: the codes look, compare and serialise as the API sent them. */
const withOpen = (reply) => Object.defineProperty({ ...reply }, "open", {
    value: (privateKeys) => openCodes(reply, privateKeys),
});
async function place(connection, input, { idempotencyKey: given, ...options } = {}) {
    const idempotencyKey = checkIdempotencyKey(given ?? (await randomUuid()));
    const call = {
        method: "POST",
        path: "/v1/orders",
        headers: { "idempotency-key": idempotencyKey },
        body: input,
        expected: 202,
        shape: REPLIES.placeOrder,
        isRepeatable: true,
    };
    const { value, headers } = await perform(connection, call, options).catch((error) => {
        if (!(error instanceof ScripError))
            throw error;
        throw new ScripError(error.code, error.message, { ...error, idempotencyKey });
    });
    return {
        order: value.order,
        replayed: headers.get("idempotent-replayed") === "true",
        idempotencyKey,
    };
}
