import { setImmediate as nextPhase } from "node:timers/promises";

export type TakeTurn = <Result>(act: () => Promise<Result>) => Promise<Result>;

/**
 * Whoever comes first is served first, and nobody before the one served has finished and whatever follows from that has
 * come to rest: so the same callers always come in the same order, however long each of them is served.
 */
export function createTurns(): TakeTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const turn = last.then(act);
    last = turn.then(comeToRest, comeToRest);
    return turn;
  };
}

/** What follows may itself wait for the next phase of the event loop, as callers do that are served together. */
async function comeToRest(): Promise<void> {
  await nextPhase();
  await nextPhase();
}
