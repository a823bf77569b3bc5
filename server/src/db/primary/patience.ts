export type Patience = { end(): void };

/** A timer this late was delayed by our own process, not by what it waits for. */
const OWN_STALL_MS = 250;

/**
 * Calls back after this time. If the process itself was paused (stopped, suspended, busy), responses may be unread,
 * so the time starts again when it resumes.
 */
export function startPatience(limitMs: number, onOver: () => void): Patience {
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const dueMs = performance.now() + limitMs;
    timer = setTimeout(() => {
      if (performance.now() - dueMs > OWN_STALL_MS) arm();
      else onOver();
    }, limitMs);
    timer.unref();
  };
  arm();
  return { end: () => clearTimeout(timer) };
}
