import { type Connection } from "./http/connection.js";
import type { CallOptions } from "./types/common.js";
import type { Order, WaitOptions } from "./types/orders.js";
/**
 * Returns the order once nothing more will happen to it. Polls less and less often. A poll with a temporary failure is
 * repeated.
 */
export declare function waitForOrder({ timing, timeoutMs: lookTimeoutMs }: Connection, look: (options: CallOptions) => Promise<Order>, { timeoutMs, signal }?: WaitOptions): Promise<Order>;
