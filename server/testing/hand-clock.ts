import type { Clock } from "../src/lib/clock.ts";

export type HandClock = Clock & { advance(ms: number): void };

/** A clock that only moves when told to. */
export function createHandClock(start: Date = new Date()): HandClock {
  let nowMs = start.getTime();
  return {
    now: () => new Date(nowMs),
    advance(ms) {
      nowMs += ms;
    },
  };
}
