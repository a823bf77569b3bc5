import type { CallOptions } from "../types/common.js";
import { type Connection } from "./connection.js";
import { type Answer, type Call } from "./request.js";
export type RepeatableCall<T> = Omit<Call<T>, "body"> & {
    body?: unknown;
    /** Whether the call is idempotent. Any other call is retried only when the API says that it has not started. */
    isRepeatable: boolean;
    /** The result of a 404 after a try without a response: that try did it. */
    whenGone?: T;
};
/** A call with its retries: at most `timeoutMs` per try, and at most that times the number of tries in all. */
export declare function perform<T>(connection: Connection, call: RepeatableCall<T>, options?: CallOptions): Promise<Answer<T>>;
