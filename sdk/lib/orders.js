import { ScripError } from "./errors.js";
import { perform } from "./http/perform.js";
import { read, readList, segment } from "./http/read.js";
import { REPLIES } from "./http/replies.js";
import { waitForOrder } from "./wait-for-order.js";
import { randomUuid } from "./web-crypto.js";
/** Spaces at its ends would be lost in transit, and it would be another key. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;
export function orderMethods(connection) {
    const pathOf = (id) => `/v1/orders/${segment(id)}`;
    const get = async (id, options) => (await read(connection, pathOf(id), REPLIES.getOrder, options)).order;
    return {
        place: async (input, options) => place(connection, input, options),
        get,
        list: (filters, options) => readList(connection, () => "/v1/orders", REPLIES.listOrders, filters, options),
        codes: async (id, options) => read(connection, `${pathOf(id)}/codes`, REPLIES.getOrderCodes, options),
        timeline: async (id, options) => (await read(connection, `${pathOf(id)}/timeline`, REPLIES.getOrderTimeline, options)).data,
        wait: async (id, options) => waitForOrder(connection, (limits) => get(id, limits), options),
    };
}
async function place(connection, input, { idempotencyKey: given, ...options } = {}) {
    const idempotencyKey = given ?? (await randomUuid());
    if (!IDEMPOTENCY_KEY.test(idempotencyKey)) {
        throw new RangeError("idempotencyKey must be 1 to 255 printable ASCII characters");
    }
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
