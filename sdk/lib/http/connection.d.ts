import { type Timing } from "./timing.js";
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
export type ClientOptions = {
    /** The address of the API, such as "https://api.example.com". It can have a path. */
    baseUrl: string;
    apiKey: string;
    /** The time limit of one try, including the body of the response. The default is 15 seconds. */
    timeoutMs?: number | undefined;
    /**
     * How often a call with a temporary failure is retried. The default is 2; 0 is never. A call with its pauses takes at
     * most `timeoutMs` times the number of tries.
     */
    retries?: number | undefined;
    maxResponseBytes?: number | undefined;
    fetch?: Fetch | undefined;
    /** Clock, pauses and randomness of the retries, for tests that must not wait. */
    timing?: Timing | undefined;
};
export type Connection = {
    readonly [K in keyof ClientOptions]-?: Exclude<ClientOptions[K], undefined>;
};
export declare function openConnection(options: ClientOptions): Connection;
export declare function checkTimeout(timeoutMs: number): number;
export declare function checkRetries(retries: number): number;
