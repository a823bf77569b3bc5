import type { ScripError } from "./errors.ts";
import type { Connection } from "./http/connection.ts";
import { perform } from "./http/perform.ts";
import { toProblemError } from "./http/problem.ts";
import { REPLIES } from "./http/replies.ts";
import { checkIdempotencyKey } from "./idempotency-key.ts";
import type { CallOptions } from "./types/common.ts";
import type { BatchOrderInput, PlacedOrder } from "./types/orders.ts";
import { randomUuid } from "./web-crypto.ts";

/** What became of one order: it has `order` or `error`. */
export type BatchResult = {
  idempotencyKey: string;
  order?: PlacedOrder;
  /** Whether an earlier request with this key placed the order. */
  replayed?: boolean;
  error?: ScripError;
};

const ORDERS_MAX = 500;

/** Results in the order of the input. Safe to repeat: each key is one order. */
export async function placeBatch(
  connection: Connection,
  orders: readonly BatchOrderInput[],
  options?: CallOptions,
): Promise<BatchResult[]> {
  if (orders.length < 1 || orders.length > ORDERS_MAX) {
    throw new RangeError(`a batch has 1 to ${ORDERS_MAX} orders`);
  }
  const keyed = await Promise.all(
    orders.map(async (order) => ({
      ...order,
      idempotencyKey: checkIdempotencyKey(order.idempotencyKey ?? (await randomUuid())),
    })),
  );
  const call = {
    method: "POST",
    path: "/v1/orders/batch",
    body: { orders: keyed },
    expected: 200,
    shape: REPLIES.placeOrders,
    isRepeatable: true,
  } as const;
  const { value } = await perform(connection, call, options);
  return keyed.map(({ idempotencyKey }, index) => {
    const { order, replayed, error } = value.results[index] ?? {};
    if (order) return { idempotencyKey, order, ...(replayed ? { replayed } : {}) };
    const context = { status: error?.status ?? 0, requestId: error?.request_id, idempotencyKey };
    return { idempotencyKey, error: toProblemError(error, context, connection.apiKey) };
  });
}
