import { perform } from "./http/perform.js";
import { toProblemError } from "./http/problem.js";
import { REPLIES } from "./http/replies.js";
import { checkIdempotencyKey } from "./idempotency-key.js";
import { randomUuid } from "./web-crypto.js";
const ORDERS_MAX = 500;
/** Results in the order of the input. Safe to repeat: each key is one order. */
export async function placeBatch(connection, orders, options) {
    if (orders.length < 1 || orders.length > ORDERS_MAX) {
        throw new RangeError(`a batch has 1 to ${ORDERS_MAX} orders`);
    }
    const keyed = await Promise.all(orders.map(async (order) => ({
        ...order,
        idempotencyKey: checkIdempotencyKey(order.idempotencyKey ?? (await randomUuid())),
    })));
    const call = {
        method: "POST",
        path: "/v1/orders/batch",
        body: { orders: keyed },
        expected: 200,
        shape: REPLIES.placeOrders,
        isRepeatable: true,
    };
    const { value } = await perform(connection, call, options);
    return keyed.map(({ idempotencyKey }, index) => {
        const { order, replayed, error } = value.results[index] ?? {};
        if (order)
            return { idempotencyKey, order, ...(replayed ? { replayed } : {}) };
        const context = { status: error?.status ?? 0, requestId: error?.request_id, idempotencyKey };
        return { idempotencyKey, error: toProblemError(error, context, connection.apiKey) };
    });
}
