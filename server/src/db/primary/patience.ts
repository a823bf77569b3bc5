export type Patience = { end(): void };

/** A timer that is late by this much was held up by our own process, not by what it waits for. */
const OWN_STALL_MS = 250;

/**
 * Calls back when so much time has passed. While this process itself stood still (stopped, suspended, busy), answers may
 * lie unread: then the time counts anew from the moment it goes on.
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
