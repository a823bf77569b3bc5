export type Timing = {
  /** Milliseconds since some fixed time; only differences matter. */
  now(): number;
  /** Resolves after that time, or at once when the signal is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** A random number from 0 to below 1. */
  random(): number;
};

export const REAL_TIMING: Timing = {
  // Unlike the time of day, it never jumps.
  now: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener("abort", end, { once: true });
    }),
  random: () => Math.random(),
};
