export type Timing = {
    /** Milliseconds since some fixed time; only differences matter. */
    now(): number;
    /** Resolves after that time, or at once when the signal is aborted. */
    wait(ms: number, signal?: AbortSignal): Promise<void>;
    /** A random number from 0 to below 1. */
    random(): number;
};
export declare const REAL_TIMING: Timing;
