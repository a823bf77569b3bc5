export const REAL_TIMING = {
    // Unlike the time of day, it never jumps.
    now: () => performance.now(),
    wait: (ms, signal) => new Promise((resolve) => {
        if (signal?.aborted)
            return resolve();
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
