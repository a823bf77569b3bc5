/** Resolves after that time, or at once when the signal is aborted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });

/** Resolves when the work ends, or after that time. The work must not fail. */
export const endsWithin = (work: Promise<unknown>, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    work.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });

export type Bell = { ring(): void; wait(ms: number): Promise<void> };

/** A wait that ends after a time, or when `ring` is called. */
export function createBell(): Bell {
  let ring = () => {};
  return {
    ring: () => ring(),
    wait(ms) {
      const rung = new AbortController();
      ring = () => rung.abort();
      return pause(ms, rung.signal);
    },
  };
}
