import { type Loop, runLoop } from "../work/run-loop.ts";
import type { Fulfiller } from "./fulfil-orders.ts";

/** Orders wait for a batch that is under way no longer than this: then another one takes them. */
const RELIEF_AFTER_MS = 30;

export type OrderLoopOptions = {
  fulfiller: Pick<Fulfiller, "step">;
  pollMs: number;
  onError: (error: unknown) => void;
};

/**
 * Works through due orders in batches. A batch costs some time, however few orders it has, so orders that come while one is under
 * way wait for the next. There is a second batch beside it if the first is full, because then the database works on one while the
 * process prepares the other, or if it takes long. One that hangs does not keep orders waiting that fall due meanwhile.
 */
export function runOrders({ fulfiller, pollMs, onError }: OrderLoopOptions): Loop {
  let begun = 0;
  let isUnderWay = false;
  let relief: NodeJS.Timeout | undefined;

  const first = runLoop({
    step: async () => {
      begun += 1;
      isUnderWay = true;
      return fulfiller
        .step(() => startSecond())
        .finally(() => {
          isUnderWay = false;
        });
    },
    pollMs,
    onError,
  });
  let isAsked = false;
  let lookedAt = 0;
  const second = runLoop({
    step: async () => {
      const isSlow = isUnderWay && begun === lookedAt;
      lookedAt = begun;
      if (!isAsked && !isSlow) return false;
      isAsked = false;
      return fulfiller.step(() => first.wake());
    },
    pollMs,
    onError,
  });
  const startSecond = () => {
    isAsked = true;
    second.wake();
  };
  let wokenDuring = 0;
  const relieve = () => {
    if (!isUnderWay) return;
    wokenDuring = begun;
    if (relief) return;
    const waitedFor = begun;
    relief = setTimeout(() => {
      relief = undefined;
      if (!isUnderWay) return;
      if (begun === waitedFor) startSecond();
      // A batch that has begun since takes what came before it, but not what came during it.
      else if (begun === wokenDuring) relieve();
    }, RELIEF_AFTER_MS);
  };

  return {
    wake() {
      relieve();
      first.wake();
    },
    async stop() {
      clearTimeout(relief);
      await Promise.all([first.stop(), second.stop()]);
    },
  };
}
