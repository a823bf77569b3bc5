import type { Clock } from "../../lib/clock.ts";

export type Throttle = {
  /** Waits for its turn. False when that would be after the deadline: then nothing must be sent. */
  turn(limit: CallLimit): Promise<boolean>;
  /** Nothing goes out for so long: the supplier asked for it. */
  pause(ms: number): void;
};

/** When a call must have ended. The signal fires then. */
export type CallLimit = { deadlineMs: number; signal: AbortSignal };

export const limitFor = (clock: Clock, timeoutMs: number): CallLimit => ({
  deadlineMs: clock.now().getTime() + timeoutMs,
  signal: AbortSignal.timeout(timeoutMs),
});

/** At most so many calls a second, evenly, after a first burst. Each process has its own. */
export function createThrottle(perSecond: number, burst: number, clock: Clock): Throttle {
  const stepMs = 1_000 / perSecond;
  let nextMs = 0;
  let pausedUntilMs = 0;
  return {
    async turn({ deadlineMs, signal }) {
      const nowMs = clock.now().getTime();
      const atMs = Math.max(nextMs, pausedUntilMs, nowMs - (burst - 1) * stepMs);
      // A turn that comes too late is not taken, so that those who give up do not delay the others.
      if (atMs >= deadlineMs) return false;
      nextMs = atMs + stepMs;
      const waitMs = atMs - nowMs;
      return waitMs <= 0 ? !signal.aborted : wait(waitMs, signal);
    },
    pause(ms) {
      pausedUntilMs = Math.max(pausedUntilMs, clock.now().getTime() + ms);
    },
  };
}

function wait(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isTurn: boolean) => () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(isTurn);
    };
    const onAbort = end(false);
    const timer = setTimeout(end(true), ms);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

/** Never waits, except when the supplier asked for a pause. */
export const createOpenThrottle = (clock: Clock): Throttle => createThrottle(1e9, 1e9, clock);
