import type { Timing } from "../http/timing.ts";

export type HandTiming = Timing & {
  /** Every pause so far. */
  waited: number[];
  advance(ms: number): void;
};

/** Pauses take no time and are written down; chance is what it is told to be. */
export function handTiming({ chance = 0, onWait = () => {} } = {}): HandTiming {
  const waited: number[] = [];
  let nowMs = 0;
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return {
    waited,
    advance,
    now: () => nowMs,
    random: () => chance,
    wait: async (ms) => {
      waited.push(ms);
      advance(ms);
      onWait();
    },
  };
}
