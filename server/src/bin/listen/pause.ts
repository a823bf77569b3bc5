/** Resolves after that time, and at once when the signal is aborted. */
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

/** Resolves when the work has ended, or after that time while it goes on. The work must not fail. */
export const endsWithin = (work: Promise<unknown>, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    work.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });

export type Bell = { ring(): void; wait(ms: number): Promise<void> };

/** For one who waits: until the time has passed, or until somebody rings. */
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
