import { type Timing } from "./timing.js";
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
export type ClientOptions = {
    /** Where the API is, as "https://api.example.com"; it may carry a path. */
    baseUrl: string;
    apiKey: string;
    /** The longest that one try may take, its answer's body included; 15 seconds when you do not say. */
    timeoutMs?: number | undefined;
    /**
     * How often a call that failed for a passing reason is tried again; 2 when you do not say, and 0 is never. The whole of a
     * call, with its pauses, takes at most `timeoutMs` times the number of tries.
     */
    retries?: number | undefined;
    maxResponseBytes?: number | undefined;
    fetch?: Fetch | undefined;
    /** Clock, pauses and chance of the retries, for tests that are not to wait. */
    timing?: Timing | undefined;
};
export type Connection = {
    readonly [K in keyof ClientOptions]-?: Exclude<ClientOptions[K], undefined>;
};
export declare function openConnection(options: ClientOptions): Connection;
export declare function checkTimeout(timeoutMs: number): number;
export declare function checkRetries(retries: number): number;
