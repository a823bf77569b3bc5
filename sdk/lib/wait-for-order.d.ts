import { type Connection } from "./connection.js";
import type { CallOptions, Order, WaitOptions } from "./types.js";
/**
 * The order once nothing more will happen to it by itself. Looks again and again, less and less often; a look that fails
 * for a passing reason is one more reason to look again.
 */
export declare function waitForOrder({ timing, timeoutMs: lookTimeoutMs }: Connection, look: (options: CallOptions) => Promise<Order>, { timeoutMs, signal }?: WaitOptions): Promise<Order>;
