import { setImmediate as letOthersRun } from "node:timers/promises";

/** How long a stretch of work may keep the process from everything else. */
const SLICE_MS = 10;

export type Pacer = {
  /** Whether the stretch has lasted long enough to pause. */
  isDue(): boolean;
  /** Lets everything else run that is ready. */
  pause(): Promise<void>;
};

/** Divides long synchronous work into stretches: `if (pacer.isDue()) await pacer.pause()`. */
export function createPacer(nowMs: () => number = () => performance.now(), sliceMs = SLICE_MS): Pacer {
  let began = nowMs();
  return {
    isDue: () => nowMs() - began >= sliceMs,
    async pause() {
      await letOthersRun();
      began = nowMs();
    },
  };
}
