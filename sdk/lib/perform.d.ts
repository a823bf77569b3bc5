import { type Connection } from "./connection.js";
import { type Answer, type Call } from "./request.js";
import type { CallOptions } from "./types.js";
export type RepeatableCall<T> = Omit<Call<T>, "body"> & {
    body?: unknown;
    /** Whether asked twice it does no more than asked once. Otherwise only a clear "not now" lets it be asked again. */
    isRepeatable: boolean;
    /** What 404 means after a try that was not answered: that one did it. */
    whenGone?: T;
};
/** A call with its retries: at most `timeoutMs` for each try, and for all of them together that times their number. */
export declare function perform<T>(connection: Connection, call: RepeatableCall<T>, options?: CallOptions): Promise<Answer<T>>;
