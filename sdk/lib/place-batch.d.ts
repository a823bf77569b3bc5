import type { ScripError } from "./errors.js";
import type { Connection } from "./http/connection.js";
import type { CallOptions } from "./types/common.js";
import type { BatchOrderInput, PlacedOrder } from "./types/orders.js";
/** What became of one order: it has `order` or `error`. */
export type BatchResult = {
    idempotencyKey: string;
    order?: PlacedOrder;
    /** Whether an earlier request with this key placed the order. */
    replayed?: boolean;
    error?: ScripError;
};
/** Results in the order of the input. Safe to repeat: each key is one order. */
export declare function placeBatch(connection: Connection, orders: readonly BatchOrderInput[], options?: CallOptions): Promise<BatchResult[]>;
