import type { ScripError } from "./errors.js";
import type { Connection } from "./http/connection.js";
import type { BatchOrderInput, CallOptions, PlacedOrder } from "./types.js";
/** What became of one order: it has `order` or `error`. */
export type BatchResult = {
    idempotencyKey: string;
    order?: PlacedOrder;
    error?: ScripError;
};
/** Results in the order of the input. Safe to repeat: each key is one order. */
export declare function placeBatch(connection: Connection, orders: readonly BatchOrderInput[], options?: CallOptions): Promise<BatchResult[]>;
