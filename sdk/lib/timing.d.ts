export type Timing = {
    /** Milliseconds since any moment; only differences matter. */
    now(): number;
    /** Resolves after that time, and at once when the signal is aborted. */
    wait(ms: number, signal?: AbortSignal): Promise<void>;
    /** From 0 to below 1. */
    random(): number;
};
export declare const REAL_TIMING: Timing;
