export type Deadline = {
    /** Aborted when the time is up or the caller aborts. */
    signal: AbortSignal;
    /** The work's result, or the deadline's error as soon as the deadline passes, even if the work continues. */
    race<T>(work: Promise<T>): Promise<T>;
    /** Stops the work that is still running. */
    abandon(): void;
    clear(): void;
};
/** Without AbortSignal.any and .timeout, which Node 18 lacks or does not wait for. */
export declare function startDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline;
