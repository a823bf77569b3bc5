export type Deadline = {
    /** Aborted when the time is up or the caller gives up. */
    signal: AbortSignal;
    /** The work's result, or the deadline's error as soon as it has passed, even while the work goes on. */
    race<T>(work: Promise<T>): Promise<T>;
    /** Stops what is still under way. */
    abandon(): void;
    clear(): void;
};
/** By hand and not with AbortSignal.any and .timeout, which Node 18 lacks or does not wait for. */
export declare function startDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline;
